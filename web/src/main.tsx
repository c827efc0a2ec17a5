// Where the page begins: its styles, its theme, the connection, and the first drawing.

import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/sheet.css";
import "./styles/layout.css";
import "./styles/bar.css";
import "./styles/session.css";
import "./styles/call.css";
import "./styles/composer.css";
import "./styles/inbox.css";
import "./styles/batch.css";
import "./styles/record.css";
import "./styles/settings.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App.js";
import { fetchAhead } from "./app/lazy.js";
import { startTelling } from "./app/notify.js";
import { type Theme, useSettings } from "./state/settings.js";
import { start } from "./state/start.js";

function dress(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

dress(useSettings.getState().theme);
useSettings.subscribe((settings) => dress(settings.theme));
startTelling();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
void start().then(fetchAhead);
