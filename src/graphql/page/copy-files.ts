import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageFile } from './page-files.js';

const require = createRequire(import.meta.url);

/**
 * Puts the files of packages, and their licences, into the folder of a page. A step of the build,
 * not of the gateway.
 */
export function copyFiles(files: readonly PageFile[], folder: URL): void {
  const to = fileURLToPath(folder);
  mkdirSync(to, { recursive: true });
  for (const { name, source } of files) {
    if (source === null) continue;
    const [owner = '', ...path] = source.split('/');
    const from = dirname(require.resolve(`${owner}/package.json`));
    // The maps stay behind, and a browser would ask for them.
    const text = readFileSync(join(from, ...path), 'utf8')
      .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
      .replace(/\n?\/\*# sourceMappingURL=.*\*\/\s*$/, '\n');
    writeFileSync(join(to, name), text);
    copyFileSync(join(from, 'LICENSE'), join(to, `LICENSE.${owner}`));
    // Apache 2.0 wants the notice to stay with it, and a bundle has the licences of what is in it.
    for (const [more, as] of [
      ['NOTICE', `NOTICE.${owner}`],
      [`${path.join('/')}.LICENSE.txt`, `LICENSE.${owner}.bundled`],
    ] as const) {
      if (existsSync(join(from, more))) {
        copyFileSync(join(from, more), join(to, as));
      }
    }
  }
}
