// Compiles schemas with ajv in its strict mode, as draft 7 and as draft 2020-12.
//
//   node ajv.mjs list.json     a JSON list of {name, schema}; `--2020` before it checks draft 2020-12 only
//   node ajv.mjs fixtures/     a folder of golden files: the schemas under `portable` and `portable_output`
//
// ajv (8.x) is loaded from the folder AJV_HOME, or from the current folder if it is not set:
//   npm install --prefix target/ajv ajv@8.20.0 && AJV_HOME=target/ajv node tests/schema/ajv.mjs tests/fixtures/schemas

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(path.resolve(process.env.AJV_HOME ?? "."), "here.js"));
const only2020 = process.argv[2] === "--2020";
const drafts = {
  ...(only2020 ? {} : { "draft 7": require("ajv").default }),
  "draft 2020-12": require("ajv/dist/2020").default,
};

// The formats of ajv-formats that a portable schema may use. ajv rejects every other name.
const formats = [
  "date-time", "date", "time", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "uri-template",
  "json-pointer", "relative-json-pointer", "regex", ...(only2020 ? ["duration", "uuid", "byte"] : []),
];

function read(source) {
  if (!fs.statSync(source).isDirectory()) return JSON.parse(fs.readFileSync(source, "utf8"));
  return fs.readdirSync(source).filter((file) => file.endsWith(".json")).sort().flatMap((file) => {
    const golden = JSON.parse(fs.readFileSync(path.join(source, file), "utf8"));
    const name = path.basename(file, ".json");
    return ["portable", "portable_output"].filter((key) => key in golden)
      .map((key) => ({ name: `${name} (${key})`, schema: golden[key] }));
  });
}

function extensions(schema, found = new Set()) {
  if (schema === null || typeof schema !== "object") return found;
  for (const [key, value] of Object.entries(schema)) {
    if (!Array.isArray(schema) && key.startsWith("x-")) found.add(key);
    extensions(value, found);
  }
  return found;
}

function failure(Ajv, schema) {
  const complaints = [];
  const logger = { log() {}, warn: (text) => complaints.push(text), error: (text) => complaints.push(text) };
  const ajv = new Ajv({ strict: true, logger });
  for (const name of formats) ajv.addFormat(name, true);
  ajv.addVocabulary([...extensions(schema)]);
  try {
    ajv.compile(schema);
  } catch (error) {
    return error.message;
  }
  return complaints.join("; ");
}

const source = process.argv[only2020 ? 3 : 2];
if (source === undefined) {
  console.error("usage: node ajv.mjs <list.json or folder of golden files>");
  process.exit(2);
}

const all = read(source);
let failures = 0;
for (const { name, schema } of all) {
  for (const [draft, Ajv] of Object.entries(drafts)) {
    const message = failure(Ajv, schema);
    if (message === "") continue;
    failures += 1;
    console.log(`${name}, ${draft}: ${message}`);
  }
}
console.log(`${all.length} schemas, ${Object.keys(drafts).length} drafts, ${failures} failures`);
// Without this check, an empty list would pass.
process.exit(failures === 0 && all.length > 0 ? 0 : 1);
