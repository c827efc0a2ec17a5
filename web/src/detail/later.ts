// Parts of the page that the first load does without.

import { lazy } from "react";

// Fetched as soon as the page is there, not when the first question is opened: it is needed next.
const views = import("./views.js");

export const DetailView = lazy(() => views.then((all) => ({ default: all.DetailView })));
export const PreviewView = lazy(() => views.then((all) => ({ default: all.PreviewView })));
