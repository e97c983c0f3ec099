import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { groupFiles } from './groups.js';

/**
 * Writes one module for each process of `npm test`. Run from the root of the repository after a
 * build.
 */

const FOLDER = 'dist/test/groups';

/** As the modules import it. */
const RUNNER = '../kit/group.js';

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [group, paths] of groupFiles()) {
  const module = `import { runGroup } from '${RUNNER}';\n\nrunGroup(${JSON.stringify(paths, null, 2)});\n`;
  writeFileSync(`${FOLDER}/${group}.js`, module);
}
