// Measures what the first page loads (its scripts, what they import statically, their styles) and fails when it is too much.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT_KB = 350;
const folder = new URL("../../src/tercet/web/dashboard_assets/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", folder), "utf-8"));

function filesOf(name, seen = new Set()) {
  const chunk = manifest[name];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const style of chunk.css ?? []) seen.add(style);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}

const entry = Object.keys(manifest).find((name) => manifest[name].isEntry);
const firstPage = "src/app/routes/home.lazy.tsx";
if (!manifest[firstPage]) throw new Error(`the build has no ${firstPage}`);
const sizes = [...filesOf(firstPage, filesOf(entry))].map((file) => [file, gzipSync(readFileSync(new URL(file, folder))).length / 1000]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
for (const [file, size] of sizes.sort((a, b) => b[1] - a[1])) console.log(`${size.toFixed(1).padStart(8)} kB  ${file}`);
console.log(`${total.toFixed(1).padStart(8)} kB  initial load, gzip (limit ${LIMIT_KB})`);
if (total > LIMIT_KB) process.exit(1);
