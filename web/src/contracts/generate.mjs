// Writes protocol.gen.ts (types) and shapes.gen.ts (the table for check.ts) from contracts/schemas:
// all types in one file, so that a type shared by many messages exists once. With --check, it only
// compares them with the existing files.
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";
import { shapes } from "./shapes.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const schemas = path.resolve(here, "../../../contracts/schemas");

const origin = `// Generated from contracts/schemas by "npm run gen:contracts". Do not edit.`;
const banner = `${origin}
// Members that a later version adds are allowed on the wire and not listed here.`;

// Removes everything next to a $ref: a description there would make the generator create a
// separate type (TaskId1).
function bare(node) {
  if (Array.isArray(node)) return node.map(bare);
  if (node === null || typeof node !== "object") return node;
  if (typeof node.$ref === "string") return { $ref: node.$ref };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, bare(value)]));
}

async function readSchemas() {
  const files = (await readdir(schemas)).filter((name) => name.endsWith(".schema.json")).sort();
  const entries = files.map(async (name) => [name, bare(JSON.parse(await readFile(path.join(schemas, name), "utf8")))]);
  return new Map(await Promise.all(entries));
}

// Returns a root schema that references every schema with a title, so that all are generated.
function bundle(all) {
  const properties = {};
  for (const [name, schema] of all) {
    if (schema.type || schema.oneOf) properties[schema.title] = { $ref: name };
    for (const [key, def] of Object.entries(schema.$defs ?? {})) {
      if (def.title) properties[def.title] = { $ref: `${name}#/$defs/${key}` };
    }
  }
  return { title: "Contracts", description: "Every type in the contract, by name.", type: "object", required: Object.keys(properties), properties };
}

async function types(all) {
  const local = {
    order: 1,
    canRead: (file) => all.has(path.basename(file.url)),
    read: (file) => JSON.stringify(all.get(path.basename(file.url))),
  };
  return compile(bundle(all), "Contracts", {
    additionalProperties: false,
    bannerComment: banner,
    cwd: schemas + path.sep,
    maxItems: 3,
    $refOptions: { resolve: { local } },
    style: { printWidth: 120 },
  });
}

const all = await readSchemas();
const fresh = { "protocol.gen.ts": await types(all), "shapes.gen.ts": shapes(all, origin) };
for (const [name, text] of Object.entries(fresh)) {
  const target = path.join(here, name);
  if (!process.argv.includes("--check")) {
    await writeFile(target, text);
    continue;
  }
  const stored = await readFile(target, "utf8").catch(() => "");
  if (stored !== text) {
    console.error(`${name} does not match contracts/schemas: run npm run gen:contracts and commit the result`);
    process.exitCode = 1;
  }
}
