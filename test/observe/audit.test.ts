import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { Audit } from '../../src/observe/audit/audit.js';

/** The file of the record of decisions. */

function denied(id: string): Exchange {
  const exchange = new Exchange(id, '127.0.0.1', 'POST');
  exchange.refuse(new Refusal('FORBIDDEN'));
  return exchange;
}

t.test('a line that was cut stays the only one that cannot be read', async (t) => {
  const file = join(t.testdir(), 'audit.log');
  const record = async (id: string): Promise<void> => {
    const audit = new Audit({ file, key: null }, () => {});
    audit.record(denied(id));
    await audit.close();
  };
  await record('one');
  appendFileSync(file, '{"time":"2026');
  await record('two');
  const lines = readFileSync(file, 'utf8').split('\n');
  t.equal(lines.length, 4);
  t.match(JSON.parse(lines[0] ?? ''), { id: 'one', seq: 1 });
  t.match(JSON.parse(lines[2] ?? ''), { id: 'two', seq: 1, previous: null });
});

t.test(
  'a disk that is full is reported once, and lines that do not wait for it are counted',
  async (t) => {
    const reasons: string[] = [];
    const audit = new Audit(
      { file: '/dev/full', key: null },
      (reason) => void reasons.push(reason),
    );
    for (let n = 0; n < 50_000; n++) audit.record(denied(`n-${n}`));
    await audit.close();
    t.same(reasons, ['ENOSPC']);
    t.ok(audit.droppedLines > 0);
  },
);

t.test('a named pipe without a reader keeps nothing from ending', async (t) => {
  const pipe = join(t.testdir(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  t.throws(() => new Audit({ file: pipe, key: null }, () => {}), { code: 'ENXIO' });
});
