// What is loaded behind the first page: a question in full, and its preview.

export { DetailView } from "./DetailView.js";
export { PreviewView } from "./PreviewView.js";
