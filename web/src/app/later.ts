// What the page can be up without; one file, fetched as soon as it is.

export { GrantsView } from "./grants/GrantsView.js";
export { HistoryView } from "./history/HistoryView.js";
export { BatchSheet } from "./inbox/BatchSheet.js";
export { SettingsView } from "./settings/SettingsView.js";
