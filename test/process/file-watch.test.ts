import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { LIVE_INPUTS } from '../../src/core/files/inputs.js';
import { FileWatch } from '../../src/process/reload/file-watch.js';
import { until } from '../kit/until.js';

/** The files of a configuration, which are looked at for changes. */

async function watching(
  paths: readonly string[],
): Promise<{ readonly watch: FileWatch; changes: number }> {
  const watch = new FileWatch();
  const inputs = watch.track(LIVE_INPUTS);
  for (const path of paths) await inputs.realpath(path);
  const state = { watch, changes: 0 };
  watch.listen(async () => {
    state.changes++;
  });
  return state;
}

t.test('a file that comes into the folder of a configuration is no change of it', async (t) => {
  const home = t.testdir({ 'a.wsdl': '1', 'other.log': '1' });
  const file = join(home, 'other.log');
  const [own, other] = [await watching([home, join(home, 'a.wsdl')]), await watching([file])];
  t.teardown(() => {
    own.watch.listen(null);
    other.watch.listen(null);
  });
  await writeFile(join(home, 'traffic.log'), 'a line');
  // Another watch of the same pace has seen two changes meanwhile.
  for (const changes of [1, 2]) {
    await writeFile(file, '1'.repeat(changes + 1));
    await until(async () => other.changes === changes);
  }
  t.equal(own.changes, 0);
  await writeFile(join(home, 'a.wsdl'), '22');
  await until(async () => own.changes === 1);
});
