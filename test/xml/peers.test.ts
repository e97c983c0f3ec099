import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { cutAt } from '../kit/splits.js';
import { documents, places, print } from './documents.js';
import { read } from './log.js';

const found = spawnSync('xmllint', ['--version']).error === undefined;
const MISSING = 'xmllint is not installed (Debian: apt-get install libxml2-utils)';

/** Which of these files xmllint finds fault with. */
function faulted(files: readonly string[]): ReadonlySet<string> {
  const { stderr } = spawnSync('xmllint', ['--noout', '--nonet', ...files], {
    encoding: 'latin1',
    maxBuffer: 1 << 28,
  });
  // That a namespace name should be an absolute URI is advice.
  const lines = stderr
    .split('\n')
    .filter((line) => / error : /.test(line) && !line.includes('is not a valid URI'));
  const named = new Set(lines.map((line) => line.slice(0, line.indexOf(':'))));
  return new Set(files.filter((file) => named.has(file)));
}

const broken = fc.option(fc.tuple(fc.nat(), fc.nat({ max: 127 })), { freq: 1 });

t.test(
  'generated documents are accepted and refused as by xmllint',
  { skip: found ? false : MISSING },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'soapstone-peers-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const samples = fc.sample(fc.tuple(documents, places, broken), 1500);
    const rows = samples.map(([document, cuts, change], index) => {
      const message = Buffer.from(print(document));
      if (change !== null) message[change[0] % message.length] = change[1];
      const file = join(folder, `${index}.xml`);
      writeFileSync(file, message);
      return { file, message, ours: read(cutAt(message, cuts)).refusal };
    });
    const theirs = faulted(rows.map(({ file }) => file));
    const refused = rows.filter(({ ours }) => ours !== null).length;
    t.ok(refused > 300 && refused < rows.length - 300, `${refused} of ${rows.length} refused`);
    for (const { file, message, ours } of rows) {
      if ((ours !== null) !== theirs.has(file)) t.fail(`${ours ?? 'accepted'}: ${message}`);
    }
  },
);
