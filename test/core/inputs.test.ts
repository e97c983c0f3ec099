import { Buffer } from 'node:buffer';
import t from 'tap';

import {
  addInputs,
  completeInputs,
  emptySnapshot,
  type Inputs,
  recordInputs,
} from '../../src/core/files/inputs.js';

/** Reads for a start and for reloads, some of which another process has done. */

t.test('what is in a snapshot is not read again, and the rest is recorded', async (t) => {
  const home = t.testdir({ a: 'on disk', b: 'on disk too' });
  const known = emptySnapshot();
  known.contents.set(`${home}/a`, Buffer.from('known')).set('document', Buffer.from('taken'));
  known.realPaths.set(`${home}/a`, '/elsewhere');
  known.matches.set('*.yaml', ['/one.yaml']);
  const added = emptySnapshot();
  const inputs: Inputs = completeInputs(known, recordInputs(added));
  const fetched: string[] = [];
  const fetch = (name: string): Promise<Buffer> =>
    inputs.fetch(name, async () => {
      fetched.push(name);
      return Buffer.from('fetched');
    });

  t.equal(`${await inputs.readFile(`${home}/a`)}`, 'known');
  t.equal((await inputs.stat(`${home}/a`)).size, 'known'.length);
  t.equal(await inputs.realpath(`${home}/a`), '/elsewhere');
  t.same(await inputs.glob('*.yaml'), ['/one.yaml']);
  t.equal(`${await fetch('document')}`, 'taken');
  t.same([...added.contents, ...added.realPaths, ...added.matches], []);

  t.equal(`${await inputs.readFile(`${home}/b`)}`, 'on disk too');
  t.equal((await inputs.stat(`${home}/b`)).size, 'on disk too'.length);
  t.same(await inputs.glob(`${home}/*`), [`${home}/a`, `${home}/b`]);
  t.equal(`${await fetch('other')}`, 'fetched');
  t.same(fetched, ['other']);
  await t.rejects(inputs.readFile(`${home}/c`), { code: 'ENOENT' });

  addInputs(known, added);
  t.same([...known.contents.keys()], [`${home}/a`, 'document', `${home}/b`, 'other']);
  t.same(known.matches.get(`${home}/*`), [`${home}/a`, `${home}/b`]);
});
