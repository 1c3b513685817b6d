// Searches the built documentation as a reader does: rustdoc's own index and program, the words of tests/behaviour/guides/wording.rs.
// `node .ci/search.mjs target/doc` fails where a word does not find its page among the first results. Both are made for the
// compiler named below; with another it says so and ends.
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';

const REVIEWED_ON = 'rustc 1.95.';
const FIRST = 8;

const version = execFileSync('rustc', ['--version']).toString();
if (!version.startsWith(REVIEWED_ON)) {
  console.log(`the search is not tried: read on ${REVIEWED_ON}*, this is ${version.trim()}`);
  process.exit(0);
}
const docs = resolve(process.argv[2] ?? 'target/doc');
const require = createRequire(import.meta.url);
const file = (name) => `${docs}/static.files/${readdirSync(`${docs}/static.files`).find((it) => it.startsWith(name))}`;
// Of rustdoc's storage.js, which wants a browser.
globalThis.nonnull = (value) => value ?? (() => { throw new Error('null'); })();
globalThis.nonundef = globalThis.nonnull;
const { Stringdex, RoaringBitmap } = require(file('stringdex-'));
const { initSearch } = require(file('search-'));
const load = (path) => (0, eval)(readFileSync(`${docs}/search.index/${path}.js`, 'utf8'));
const { docSearch, DocSearch } = await initSearch(Stringdex, RoaringBitmap, {
  loadRoot: (callbacks) => { Object.assign(globalThis, callbacks); load('root'); },
  loadTreeByHash: (hash) => load(hash),
  loadDataByNameAndHash: (name, hash) => load(`${name}/${hash}`),
});

const source = readFileSync(new URL('../tests/behaviour/guides/wording.rs', import.meta.url), 'utf8');
const words = [...source.matchAll(/^ {4}\("([^"]+)", "(\w+)"\),$/gm)];
const wrong = [];
for (const [, word, page] of words) {
  const results = await docSearch.execQuery(DocSearch.parseQuery(word), null, 'genkit');
  const found = [];
  for await (const result of results.others) {
    const href = result.href ?? '';
    // The site of the documentation has one crate; the crates below the facade repeat its items.
    if (!href.includes('/genkit/')) continue;
    found.push(href);
    if (found.length === FIRST) break;
  }
  const at = found.findIndex((href) => href.endsWith(`genkit/guide/${page}/index.html`));
  if (at < 0) wrong.push(`${word}: ${page} is not among ${found.join(' ')}`);
}
console.log(wrong.join('\n') || `search: ${words.length} words find their pages`);
process.exit(wrong.length || !words.length ? 1 : 0);
