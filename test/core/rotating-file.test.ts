import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { RotatingFile } from '../../src/core/files/rotating-file.js';
import { until } from '../kit/until.js';
import { useFolder } from '../kit/use.js';

t.test('the first use reads the file: a worker begins with what its parent had read', async (t) => {
  const file = join(await useFolder(t, { key: 'rotated\n' }), 'key');
  t.equal(await new RotatingFile(file, 'read at the start').latest(), 'rotated');
  const used = new RotatingFile(file, 'read at the start');
  t.equal(used.content, 'read at the start', 'nothing waits for it');
  await until(() => used.content === 'rotated');
});

t.test('a file that is empty, away or no text keeps what was read', async (t) => {
  const file = join(await useFolder(t, { key: '' }), 'key');
  t.equal(await new RotatingFile(file, 'earlier').latest(), 'earlier');
  t.equal(await new RotatingFile(`${file}.none`, 'earlier').latest(), 'earlier');
  await writeFile(file, Buffer.from([0x61, 0xff]));
  t.equal(await new RotatingFile(file, 'earlier').latest(), 'earlier', 'no UTF-8');
  t.equal(await new RotatingFile(file, 'earlier', 'base64').latest(), 'Yf8=', 'bytes are bytes');
  await writeFile(file, 'later');
  t.equal(await new RotatingFile(file, 'earlier').latest(), 'later');
});
