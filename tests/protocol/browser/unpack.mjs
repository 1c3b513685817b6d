// Unpacks Chromium from npm's `@sparticuz/chromium`, with its fonts and libraries.
//   node unpack.mjs   must be next to `node_modules`; writes to `chromium/` there.
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

const from = 'node_modules/@sparticuz/chromium/bin';
const to = join(process.cwd(), 'chromium');
mkdirSync(to, { recursive: true });
for (const name of ['chromium', 'al2023.tar', 'fonts.tar']) {
  const out = createWriteStream(join(to, name), { mode: 0o755 });
  await pipeline(createReadStream(join(from, `${name}.br`)), createBrotliDecompress(), out);
  if (!name.endsWith('.tar')) continue;
  execFileSync('tar', ['xf', join(to, name), '-C', to]);
  rmSync(join(to, name));
}
// The package's own configuration names the folders of another system.
writeFileSync(join(to, 'fonts.conf'), `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${to}/fonts</dir><cachedir>${to}/fonts-cache</cachedir></fontconfig>
`);
