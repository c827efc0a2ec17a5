// Runs the unit tests: every src/**/*.test.ts(x), bundled, in node's own test runner.
//
//   node test.mjs [WORD...]     only files whose path has one of the words
import { spawnSync } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
// Inside node_modules, so that the packages are found from there.
const FOLDER = join(HERE, "node_modules/.assent-tests");
const words = process.argv.slice(2);

const tests = [];
for (const entry of await readdir(join(HERE, "src"), { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath ?? entry.path, entry.name);
  if (/\.test\.tsx?$/.test(entry.name) && (!words.length || words.some((word) => path.includes(word)))) tests.push(path);
}
if (!tests.length) {
  console.error("No test was found: tests are files named src/**/*.test.ts or .test.tsx");
  process.exit(1);
}
await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
await build({
  absWorkingDir: HERE,
  entryPoints: tests.sort(),
  outbase: "src",
  outdir: FOLDER,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  jsx: "automatic",
  loader: { ".css": "empty" },
  sourcemap: "inline",
  logLevel: "warning",
});
// In one process, since starting one for each file takes longer than all the tests; each file is a bundle of its own,
// so that no test meets the state another one left.
const built = (await readdir(FOLDER, { recursive: true })).filter((name) => name.endsWith(".test.mjs")).sort();
const all = join(FOLDER, "all.test.mjs");
await writeFile(all, built.map((name) => `import "./${name}";\n`).join(""));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", all], { stdio: "inherit" });
process.exit(status ?? 1);
