// Builds the peer's page into FOLDER: node build.mjs FOLDER
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const FOLDER = process.argv[2];
if (!FOLDER) throw new Error("name the folder: node build.mjs FOLDER");
await build({
  absWorkingDir: HERE,
  entryPoints: ["peer.jsx"],
  outdir: FOLDER,
  bundle: true,
  format: "esm",
  target: ["chrome111", "firefox114", "safari16.4"],
  jsx: "automatic",
  minify: true,
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
});
await writeFile(
  join(FOLDER, "index.html"),
  '<!doctype html><meta charset="utf-8"><title>peer</title><link rel="stylesheet" href="peer.css">' +
    '<div id="root"></div><script type="module" src="peer.js"></script>',
);
