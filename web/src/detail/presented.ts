// What a question shows: the body, what is to be warned of, and where it happens.

import { writeExact } from "../state/exact.js";
import type { ApprovalRequest, Change, CommandPreview, Detail, Json, Shown, Version } from "../state/wire.js";
import { visibleWord } from "../diff/hidden.js";
import { textRows } from "../diff/source.js";
import { strings } from "./strings.js";

export interface Warning {
  readonly text: string;
  /** Something that was there is lost, or the command is dangerous. */
  readonly danger: boolean;
}

export type Body =
  | { readonly kind: "diff" }
  | { readonly kind: "command"; readonly command: CommandPreview }
  | { readonly kind: "text"; readonly text: string; readonly isJson: boolean; readonly numbered: boolean }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [string, string])[]; readonly note: string };

export interface Presented {
  /** One line that says what would happen. */
  readonly title: string;
  readonly path: string | null;
  readonly body: Body;
  readonly warnings: readonly Warning[];
  readonly changes: readonly Change[];
  readonly isNew: boolean;
}

/** A call, and what is shown of it. */
export type Asking = Pick<Detail, "pending" | "message">;

/** What the question shows, as it was asked. */
export function presented({ pending, message }: Asking): Presented {
  const shown = pending.preview.presentation;
  const isOurs = !["text", "diff", "file_content", "command", "structured"].includes(shown.type);
  const changes = changesOf(shown);
  return {
    title: isOurs ? shown.description : pending.request.description,
    path: message.file_path ?? textOf(shown["path"]),
    body: bodyOf(message, shown, changes),
    warnings: warningsOf(message, shown, changes),
    changes,
    isNew: message.preview_type === "diff" && message.preview_data.is_new_file,
  };
}

/** How many rows there are to be seen; null while nobody knows. `rows` are those of a diff. */
export function rowsIn({ body }: Presented, rows: number | null): number | null {
  switch (body.kind) {
    case "diff":
      return rows;
    case "command":
      return textRows(body.command.command).length;
    case "text":
      return textRows(body.text).length;
    case "facts":
      return body.facts.length;
  }
}

function bodyOf(message: ApprovalRequest, shown: Shown, changes: readonly Change[]): Body {
  switch (message.preview_type) {
    case "command":
      return { kind: "command", command: message.preview_data };
    case "multi_diff":
      return { kind: "diff" };
    case "diff":
      return message.diff_lines.length > 0 || message.preview_data.left_out?.diff_lines !== undefined
        ? { kind: "diff" }
        : withoutDiff(message.preview_data.original_media_type, shown, changes);
    case "generic":
      return genericBody(message.preview_data.content, shown, message.tool_input);
  }
}

/** Of what is no text, or is empty, there is nothing but its type and its size. */
function withoutDiff(media: string | undefined, shown: Shown, changes: readonly Change[]): Body {
  const { before, after } = changes[0] ?? { before: versionIn(shown["version"]), after: null };
  const written = textOf(shown["content"]);
  if (media !== undefined && shown.type === "write" && written !== null) {
    return { kind: "text", text: written, isJson: false, numbered: true };
  }
  const isDeleted = shown.type === "delete";
  const facts: (readonly [string, string])[] = [];
  if (before !== null) facts.push([strings.facts.before, versionSays(before)]);
  if (isDeleted) facts.push([strings.facts.after, strings.facts.gone]);
  else if (after !== null) facts.push([strings.facts.after, versionSays(after)]);
  const same = before !== null && after !== null && before.sha256 === after.sha256;
  const note = same ? strings.warn.nothing : media === undefined ? strings.facts.empty : strings.facts.binary;
  return { kind: "facts", facts, note };
}

function genericBody(content: string | undefined, shown: Shown, input: Json): Body {
  const size = strings.facts.sizeOf(numberOf(shown["file_lines"]), strings.facts.bytes(numberOf(shown["file_bytes"])));
  const path = textOf(shown["path"]) ?? "";
  switch (shown.type) {
    case "read":
      return {
        kind: "facts",
        facts: [
          [strings.facts.path, visibleWord(path)],
          [strings.facts.size, shown["file_exists"] === false ? strings.facts.missing : size],
        ],
        note: strings.facts.notShown,
      };
    case "move":
      return {
        kind: "facts",
        facts: [
          [strings.facts.from, visibleWord(path)],
          [strings.facts.to, visibleWord(textOf(shown["destination"]) ?? "")],
          [strings.facts.size, size],
        ],
        note: "",
      };
    case "structured":
      return { kind: "text", text: content ?? pretty(input), isJson: true, numbered: false };
    case "text":
    case "file_content":
      return { kind: "text", text: content ?? "", isJson: false, numbered: shown.type === "file_content" };
    default:
      return { kind: "text", text: pretty(input), isJson: true, numbered: false };
  }
}

function warningsOf(message: ApprovalRequest, shown: Shown, changes: readonly Change[]): readonly Warning[] {
  const found: Warning[] = [];
  const warn = (text: string, danger = false): void => void found.push({ text, danger });
  if (message.preview_type === "command") for (const each of message.preview_data.warnings) warn(visibleWord(each), true);
  if (message.preview_type === "diff") {
    const { preview_data: data } = message;
    if (data.is_deleted === true) warn(deletion(shown, data.original_media_type), true);
    else if (data.original_media_type !== undefined) warn(strings.warn.notText(visibleWord(data.original_media_type)), true);
    else if (shown.type === "write" && !data.is_new_file) warn(strings.warn.overwrite(data.original_lines, data.new_lines));
  }
  if (changes.some((change) => change.escaped)) warn(strings.warn.escaped);
  return found;
}

function deletion(shown: Shown, media: string | undefined): string {
  const bytes = strings.facts.bytes(numberOf(shown["file_bytes"]));
  return media === undefined
    ? strings.warn.deleted(numberOf(shown["file_lines"]), bytes)
    : strings.warn.deletedBinary(visibleWord(media), bytes);
}

/** The changes of one file or several. */
export function changesOf(shown: Shown): readonly Change[] {
  const change = shown["change"];
  const changes = shown["changes"];
  if (Array.isArray(changes)) return changes as unknown as readonly Change[];
  return typeof change === "object" && change !== null ? [change as unknown as Change] : [];
}

/** All that is drawn of the body, to be searched for what is hidden in it. */
export function textIn(body: Body, shown: Shown, message: ApprovalRequest): string {
  switch (body.kind) {
    case "command":
      return body.command.command;
    case "text":
      return body.text;
    case "facts":
      return "";
    case "diff": {
      const diffs = changesOf(shown).map((change) => change.unified_diff);
      return diffs.some((each) => each !== "") ? diffs.join("\n") : message.diff_lines.join("\n");
    }
  }
}

function versionSays(version: Version): string {
  const bytes = strings.facts.bytes(version.bytes);
  return version.media_type === null
    ? `${strings.facts.text(version.lines)}, ${bytes}`
    : `${visibleWord(version.media_type)}, ${bytes}`;
}

function versionIn(value: Json | undefined): Version | null {
  return typeof value === "object" && value !== null && "sha256" in value ? (value as unknown as Version) : null;
}

export function pretty(value: Json): string {
  return writeExact(value, 2);
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}
