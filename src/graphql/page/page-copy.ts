import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { PAGE_FILES, PAGE_FOLDER } from './page-files.js';

// A step of the build, not of the gateway: puts the files of GraphiQL, and their licences, beside the compiled code.

const require = createRequire(import.meta.url);
const to = fileURLToPath(PAGE_FOLDER);

mkdirSync(to, { recursive: true });
for (const { name, source } of PAGE_FILES) {
  if (source === null) continue;
  const [owner = '', ...path] = source.split('/');
  const from = dirname(require.resolve(`${owner}/package.json`));
  // The maps stay behind, and a browser would ask for them.
  const text = readFileSync(join(from, ...path), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  writeFileSync(join(to, name), text);
  copyFileSync(join(from, 'LICENSE'), join(to, `LICENSE.${owner}`));
}
