import { Buffer } from 'node:buffer';
import { chmodSync, lchownSync, lstatSync, readdirSync, symlinkSync, utimesSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type PrivateContent, PrivateFolder } from '../../src/core/files/private-folder.js';

/** A folder of files that only the user of the process can have written. */

const BOUNDS = { files: 3, bytes: 1000 };
const CONTENT = Buffer.from('content');

const of =
  (...parts: readonly Uint8Array[]): PrivateContent =>
  async () =>
    parts;

const open = (path: string): PrivateFolder => new PrivateFolder(path, '.kept', BOUNDS);

/** A folder with the file `a`. */
async function withFile(t: Test): Promise<{ readonly path: string; readonly file: string }> {
  const path = join(t.testdir({}), 'kept');
  await open(path).write('a', of(CONTENT));
  t.strictSame(await open(path).read('a'), CONTENT);
  return { path, file: join(path, 'a.kept') };
}

const WITH_OWNERS = process.getuid?.() === 0 ? {} : { skip: 'only root can give files away' };

t.test('a new folder and its files are for one user alone', async (t) => {
  const { path, file } = await withFile(t);
  t.equal(lstatSync(path).mode & 0o777, 0o700);
  t.equal(lstatSync(file).mode & 0o777, 0o600);
  t.strictSame(readdirSync(path).sort(), ['.gitignore', 'a.kept']);
});

t.test('files and folders that others can write count as absent', async (t) => {
  const { path, file } = await withFile(t);
  for (const mode of [0o620, 0o602, 0o666]) {
    chmodSync(file, mode);
    t.equal(await open(path).read('a'), null, mode.toString(8));
  }
  chmodSync(file, 0o644);
  t.strictSame(await open(path).read('a'), CONTENT, 'others can read it');
  for (const mode of [0o770, 0o707, 0o1777]) {
    chmodSync(path, mode);
    t.equal(await open(path).read('a'), null, `folder ${mode.toString(8)}`);
    t.equal(await open(path).write('b', of(CONTENT)), false);
  }
});

t.test('files and folders of another user count as absent', WITH_OWNERS, async (t) => {
  const { path, file } = await withFile(t);
  lchownSync(file, 65_534, 65_534);
  t.equal(await open(path).read('a'), null);
  lchownSync(file, 0, 0);
  lchownSync(path, 65_534, 65_534);
  t.equal(await open(path).read('a'), null);
  t.equal(await open(path).write('b', of(CONTENT)), false);
});

t.test('links are not followed', async (t) => {
  const { path, file } = await withFile(t);
  await rename(file, join(path, 'elsewhere'));
  symlinkSync('elsewhere', file);
  t.equal(await open(path).read('a'), null, 'a file');
  await open(path).write('a', of(CONTENT));
  t.ok(lstatSync(file).isFile(), 'a file takes the place of the link');
  const linked = join(t.testdirName, 'linked');
  symlinkSync(path, linked);
  t.equal(await open(linked).read('a'), null, 'a folder');
  t.equal(await open(linked).write('b', of(CONTENT)), false);
});

t.test('what is no file and no folder counts as absent', async (t) => {
  const { path } = await withFile(t);
  await mkdir(join(path, 'b.kept'));
  t.equal(await open(path).read('b'), null);
  t.equal(await open(path).write('b', of(CONTENT)), false);
  t.equal(await open(join(path, 'a.kept')).write('b', of(CONTENT)), false, 'a file as folder');
  t.equal(await open(join(path, 'no', 'such')).write('b', of(CONTENT)), false, 'no folder above');
  t.strictSame(readdirSync(path).sort(), ['.gitignore', 'a.kept', 'b.kept']);
});

t.test('a file that is longer than the bound is not read', async (t) => {
  const { path, file } = await withFile(t);
  await writeFile(file, 'a'.repeat(1000));
  t.equal((await open(path).read('a'))?.length, 1000);
  await writeFile(file, 'a'.repeat(1001));
  t.equal(await open(path).read('a'), null);
});

t.test('the oldest files go, and files of others stay', async (t) => {
  const { path } = await withFile(t);
  await writeFile(join(path, 'notes.txt'), 'of an operator');
  await writeFile(join(path, 'old.kept.1'), 'never finished');
  await writeFile(join(path, 'new.kept.2'), 'not finished yet');
  utimesSync(join(path, 'old.kept.1'), 1, 1);
  for (const [name, seconds] of [
    ['b', 20],
    ['c', 10],
    ['d', 30],
  ] as const) {
    await writeFile(join(path, `${name}.kept`), CONTENT, { mode: 0o600 });
    utimesSync(join(path, `${name}.kept`), seconds, seconds);
  }
  await open(path).write('e', of(CONTENT));
  const kept = ['.gitignore', 'a.kept', 'd.kept', 'e.kept', 'new.kept.2', 'notes.txt'];
  t.strictSame(readdirSync(path).sort(), kept);
  await writeFile(join(path, 'd.kept'), 'a'.repeat(990));
  utimesSync(join(path, 'a.kept'), 10, 10);
  await open(path).write('f', of(CONTENT));
  t.notOk(readdirSync(path).includes('a.kept'), 'by bytes');
});

t.test('a file that is read counts as new', async (t) => {
  const { path, file } = await withFile(t);
  utimesSync(file, 1, 1);
  await open(path).read('a');
  t.ok(lstatSync(file).mtimeMs > 1_000_000);
});

t.test('writers at the same time leave one whole file', async (t) => {
  const { path, file } = await withFile(t);
  await open(path).remove('a');
  const contents = Array.from({ length: 20 }, (_, at) => Buffer.alloc(900, at));
  const written = await Promise.all(contents.map((content) => open(path).write('a', of(content))));
  t.ok(written.includes(true));
  const found = await open(path).read('a');
  t.ok(found !== null && contents.some((content) => content.equals(found)));
  t.ok(lstatSync(file).isFile());
  t.strictSame(readdirSync(path).sort(), ['.gitignore', 'a.kept']);
});

t.test('a file is written in parts, and its content is not made where it is there', async (t) => {
  const { path } = await withFile(t);
  const parts = ['a', 'b', 'c'].map((part) => Buffer.from(part));
  t.equal(await open(path).write('b', of(...parts)), true);
  t.strictSame(await open(path).read('b'), Buffer.from('abc'));
  const again: PrivateContent = async () => {
    t.fail('made again');
    return null;
  };
  t.equal(await open(path).write('b', again), false);
});

t.test('a file that another process is writing is left to it, unless that has ended', async (t) => {
  const { path } = await withFile(t);
  let others = 0;
  const slow: PrivateContent = async () => {
    const meanwhile = async (): Promise<Uint8Array[]> => {
      others++;
      return [CONTENT];
    };
    t.equal(await open(path).write('b', meanwhile), false);
    return [CONTENT];
  };
  t.equal(await open(path).write('b', slow), true);
  t.equal(others, 0, 'the content is made once');
  await writeFile(join(path, 'c.kept.1'), '');
  utimesSync(join(path, 'c.kept.1'), 1, 1);
  t.equal(await open(path).write('c', of(CONTENT)), true);
});

t.test('content that cannot be made leaves nothing', async (t) => {
  const { path } = await withFile(t);
  const failing: readonly PrivateContent[] = [
    async () => null,
    () => Promise.reject(new RangeError('Invalid string length')),
    () => {
      throw new RangeError('Map maximum size exceeded');
    },
  ];
  for (const content of failing) {
    t.equal(await open(path).write('b', content), false);
    t.strictSame(readdirSync(path).sort(), ['.gitignore', 'a.kept']);
  }
});

t.test('processes that remove the oldest files at the same time all write theirs', async (t) => {
  const { path } = await withFile(t);
  for (let at = 0; at < 200; at++) {
    await writeFile(join(path, `old${at}.kept`), CONTENT, { mode: 0o600 });
    await writeFile(join(path, `old${at}.kept.1`), CONTENT, { mode: 0o600 });
    utimesSync(join(path, `old${at}.kept.1`), 1, 1);
  }
  const names = Array.from({ length: 8 }, (_, at) => `new${at}`);
  const written = await Promise.all(names.map((name) => open(path).write(name, of(CONTENT))));
  t.strictSame(
    written,
    names.map(() => true),
  );
});

t.test('a folder in which nothing can be kept is explained', async (t) => {
  const { path, file } = await withFile(t);
  t.equal(await open(path).problem(), null);
  t.equal(await open(join(t.testdirName, 'new')).problem(), null, 'it can be made');
  t.match(await open(join(t.testdirName, 'no', 'such')).problem(), /the one above it/);
  t.match(await open(file).problem(), /no folder/);
  t.match(await open(join(file, 'below')).problem(), /cannot be/);
  symlinkSync(path, join(t.testdirName, 'linked'));
  t.match(await open(join(t.testdirName, 'linked')).problem(), /no folder/);
  chmodSync(path, 0o770);
  t.match(await open(path).problem(), /other users/);
});

t.test('a folder of another user is explained', WITH_OWNERS, async (t) => {
  const { path } = await withFile(t);
  lchownSync(path, 65_534, 65_534);
  t.match(await open(path).problem(), /another user/);
});
