// What the server says and takes, as it is on the wire; docs/server.md is the reference.

export type * from "./wire/json.js";
export type * from "./wire/server.js";
export type * from "./wire/questions.js";
export type * from "./wire/answers.js";
export type * from "./wire/detail.js";
export type * from "./wire/diffs.js";
export type * from "./wire/shown.js";
export type * from "./wire/record.js";
