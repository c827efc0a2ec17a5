// Builds the page: hashed files and the index.html that names them.
//
//   node build.mjs [FOLDER]     FOLDER: ../src/assent/server/bundle if not given; replaced as a whole
//
// The same sources make the same bytes, wherever and whenever they are built.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const WANTED = resolve(HERE, process.argv[2] ?? "../src/assent/server/bundle");
// Built beside it: a build that fails leaves the one before as it was.
const FOLDER = `${WANTED}.new`;
const MARK = "<!-- built -->";
const MOST_KIB = 100;

const COMMON = {
  absWorkingDir: HERE,
  entryPoints: { page: "src/main.tsx" },
  outdir: FOLDER,
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  bundle: true,
  format: "esm",
  target: ["chrome123", "firefox125", "safari17.5"],
  jsx: "automatic",
  minify: true,
  charset: "utf8",
  // The licences are in a file of their own.
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
  logLevel: "warning",
};

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const { metafile } = await build({ ...COMMON, splitting: true, loader: { ".css": "empty" } });
const outputs = new Map(Object.entries(metafile.outputs).map(([path, about]) => [nameOf(path), about]));
const [entry] = [...outputs].find(([, about]) => about.entryPoint === "src/main.tsx");
const files = { ...(await icons()), style: await style(), scripts: [...together(entry)] };
await writeFile(join(FOLDER, "index.html"), await page(files));
await writeFile(join(FOLDER, "licenses.txt"), await licenses());
await report([files.style, ...files.scripts]);
await rm(WANTED, { recursive: true, force: true });
await rename(FOLDER, WANTED);

function nameOf(path) {
  return path.split("/").at(-1);
}

/** All styles in one file, also those of parts that are loaded later: nobody else would load these. */
async function style() {
  const { outputFiles } = await build({ ...COMMON, write: false });
  const { path, contents } = outputFiles.find((file) => file.path.endsWith(".css"));
  await writeFile(join(FOLDER, nameOf(path)), contents);
  return nameOf(path);
}

/** A script, and those without which it does not begin. */
function together(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const { path, kind } of outputs.get(name).imports) if (kind === "import-statement") together(nameOf(path), found);
  return found;
}

/** The sign in the tab, and the same with a number: how many questions wait, ten and more as 9+. */
async function icons() {
  const plain = await readFile(join(HERE, "icon.svg"), "utf8");
  const counted = [];
  for (let count = 1; count <= 10; count += 1) {
    const mark =
      '<rect x="12" y="12" width="20" height="20" rx="10" fill="#c4231b"/>' +
      `<text x="22" y="${count > 9 ? 26 : 27}" text-anchor="middle" font-family="sans-serif" ` +
      `font-size="${count > 9 ? 11 : 14}" font-weight="700" fill="#fff">${count > 9 ? "9+" : count}</text>`;
    counted.push(await withHash(`icon-${count}`, "svg", plain.trim().replace("</svg>", `${mark}</svg>`)));
  }
  return { icon: await withHash("icon", "svg", plain), counted };
}

/** A file under a name that changes with its content. */
async function withHash(stem, suffix, content) {
  const name = `${stem}-${createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase()}.${suffix}`;
  await writeFile(join(FOLDER, name), content);
  return name;
}

/** index.html with the names of this build; relative, since the app may be mounted anywhere. */
async function page({ icon, counted, style, scripts: [first, ...more] }) {
  const template = await readFile(join(HERE, "index.html"), "utf8");
  if (template.split(MARK).length !== 2) throw new Error(`index.html must have ${MARK} exactly once`);
  const lines = [
    `<link rel="icon" type="image/svg+xml" href="agent/${icon}">`,
    ...counted.map((name, at) => `<link rel="assent-counted-icon" data-count="${at + 1}" href="agent/${name}">`),
    `<link rel="stylesheet" href="agent/${style}">`,
    ...more.map((name) => `<link rel="modulepreload" href="agent/${name}">`),
    `<script type="module" src="agent/${first}"></script>`,
  ];
  return template.replace(MARK, lines.join("\n"));
}

/** The licence of every package that is in the bundle. */
async function licenses() {
  const packages = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (found) packages.add(found[1]);
  }
  const texts = [];
  for (const name of [...packages].sort()) {
    const folder = join(HERE, "node_modules", name);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file`);
    texts.push(`${name} ${version}\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`);
  }
  return texts.join("\n\n");
}

/** Says what was built, and what the first load weighs. */
async function report(first) {
  let sum = 0;
  for (const name of (await readdir(FOLDER)).sort()) {
    if (!/\.(?:css|js)$/.test(name)) continue;
    const size = gzipSync(await readFile(join(FOLDER, name)), { level: 9 }).length / 1024;
    if (first.includes(name)) sum += size;
    console.log(`${size.toFixed(1).padStart(7)} KiB gz  ${name}${first.includes(name) ? "" : "  (later)"}`);
  }
  console.log(`${sum.toFixed(1).padStart(7)} KiB gz  first load, of at most ${MOST_KIB}`);
  if (sum > MOST_KIB)
    console.error(`The first load is too large. Load what is not needed at once later: lazy(() => import("./x.js")).`);
}
