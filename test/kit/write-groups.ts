import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { groupFiles } from './groups.js';

/**
 * Writes one module for each process of `npm test`; with a folder of `test`, of its tests alone.
 * Run from the root of the repository after a build.
 */

const FOLDER = 'dist/test/groups';

const [only] = process.argv.slice(2);
const begin = only === undefined ? 'dist/test/' : `dist/test/${only}/`;

/** As the modules import it. */
const RUNNER = '../kit/group.js';

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [group, all] of groupFiles()) {
  const paths = all.filter((path) => path.startsWith(begin));
  if (paths.length === 0) continue;
  const module =
    `import { runGroup } from '${RUNNER}';\n\nrunGroup(` + `${JSON.stringify(paths, null, 2)});\n`;
  writeFileSync(`${FOLDER}/${group}.js`, module);
}
