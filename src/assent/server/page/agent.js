// A small page for the flow of approvals: text only, nothing of what is shown is ever read as HTML.
"use strict";

const at = (id) => document.getElementById(id);
const base = location.pathname.replace(/\/agent\/?$/, "");
let socket = null;
let seen = 0;

// Characters that hide or turn around what is written are shown by their number.
const visible = (text) =>
  String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu, (c) =>
    "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));

function element(name, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = visible(text);
  return made;
}

function note(text) {
  at("events").append(element("pre", text));
}

function say(message) {
  socket.send(JSON.stringify(message));
}

function shown(question) {
  if (question.preview_type === "command") return question.preview_data.command;
  if (question.diff_lines.length) return question.diff_lines.join("\n");
  return JSON.stringify(question.tool_input, null, 2);
}

function ask(question) {
  if (at(question.request_id)) return;
  const box = element("article");
  box.id = question.request_id;
  box.append(element("h2", question.tool_name + (question.file_path ? " " + question.file_path : "")));
  for (const warning of question.preview_data.warnings || []) box.append(element("p", "Warning: " + warning));
  if (question.preview_data.left_out) {
    box.append(element("p", "Not all of it is shown here: " + JSON.stringify(question.preview_data.left_out)));
  }
  box.append(element("pre", shown(question)));
  const reason = element("input");
  reason.placeholder = "why, or what to do instead";
  reason.setAttribute("aria-label", "Feedback");
  const answer = (approved) => () =>
    say({ command: "tool_approval_response", request_id: question.request_id, approved, feedback: reason.value });
  const yes = element("button", "Approve");
  const no = element("button", "Reject");
  // What was clicked before it could be read is no answer.
  yes.disabled = true;
  setTimeout(() => { yes.disabled = false; }, 350);
  yes.addEventListener("click", answer(true));
  no.addEventListener("click", answer(false));
  box.append(reason, yes, no);
  at("questions").append(box);
}

const told = {
  hello({ content }) {
    at("state").textContent = visible("Signed in as " + content.you + (content.running ? "; a run is under way" : ""));
    at("questions").replaceChildren();
    content.pending.forEach(ask);
    if (!at("mode").options.length) {
      for (const [value, label] of Object.entries(content.permission_modes)) {
        const option = element("option", label);
        option.value = value;
        option.selected = value === "sdk";
        at("mode").append(option);
      }
    }
  },
  tool_approval_request: ask,
  tool_approval_ended({ request_id, content }) {
    const box = at(request_id);
    if (box) box.remove();
    note(content.outcome + " by " + content.by + (content.note ? ": " + content.note : ""));
  },
  run({ content }) { note("run by " + content.by + ": " + content.prompt); },
  assistant({ subtype, content }) {
    if (subtype === "text") note(content.text);
    if (subtype === "tool_use") note(content.name + " " + JSON.stringify(content.input));
  },
  user({ content }) { note((content.is_error ? "failed: " : "") + content.content); },
  result({ subtype, content }) { note(subtype + ": " + content.message); },
  error({ content }) { note("error: " + content.message); },
};

function connect() {
  const scheme = location.protocol === "https:" ? "wss://" : "ws://";
  socket = new WebSocket(scheme + location.host + base + "/api/terminal/ws/agent?since=" + seen);
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.seq) seen = message.seq;
    if (told[message.type]) told[message.type](message);
  });
  socket.addEventListener("close", () => {
    at("state").textContent = "The connection is lost; trying again …";
    setTimeout(connect, 1000);
  });
}

async function signIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code) {
    // At once, so that it stays in no history.
    history.replaceState(null, "", location.pathname);
    await fetch(base + "/api/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code }),
    });
  }
  const who = await fetch(base + "/api/session");
  if (who.ok) connect();
  else at("state").textContent = visible((await who.json()).message);
}

at("run").addEventListener("submit", (event) => {
  event.preventDefault();
  say({
    command: "run",
    prompt: at("prompt").value,
    continue: at("continue").checked,
    permission_mode: at("mode").value,
    auto_approve_safe: true,
  });
});
at("stop").addEventListener("click", () => say({ command: "stop" }));
signIn();
