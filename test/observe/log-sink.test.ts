import t from 'tap';

import { LogSink } from '../../src/observe/log/log-sink.js';
import type { LogTarget } from '../../src/observe/log/log-target.js';

const failure = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });

/**
 * A target that does with each write what `take` says: how many bytes it takes, or how it fails;
 * null never answers.
 */
function scripted(take: (bytes: Buffer, nth: number) => number | string | null, canBlock = false) {
  const written: Buffer[] = [];
  let nth = 0;
  const target: LogTarget = {
    canBlock,
    close: () => {},
    write(bytes, done) {
      const taken = take(bytes, nth++);
      if (taken === null) return;
      if (typeof taken === 'string') return done(failure(taken), 0);
      written.push(Buffer.from(bytes.subarray(0, taken)));
      done(null, taken);
    },
  };
  return { target, text: () => Buffer.concat(written).toString(), written };
}

const line = (n: number, length = 200): string => `${String(n).padEnd(length - 1, 'é')}\n`;

t.test('lines come out whole, in order and in pieces that a pipe takes at once', async (t) => {
  const { target, text, written } = scripted((bytes) => bytes.length);
  const sink = new LogSink(target, 1_000_000);
  const lines = Array.from(
    { length: 500 },
    (_, n) => `${String(n).padEnd(100 + (n % 150), 'x')}\n`,
  );
  for (const each of lines) sink.write(each);
  await sink.flush();
  t.equal(text(), lines.join(''));
  t.ok(written.length > 10, `${written.length} writes`);
  for (const piece of written) {
    t.ok(piece.length <= 4096, `${piece.length} bytes`);
    t.equal(piece.at(-1), 10, 'ends with a line');
  }
  t.equal(sink.droppedLines, 0);
  t.equal(await sink.close(), true);
});

t.test('a reader that takes a little and then nothing for a while loses nothing', async (t) => {
  const { target, text } = scripted((bytes, nth) =>
    nth % 3 === 0 ? 'EAGAIN' : Math.min(1000, bytes.length),
  );
  const sink = new LogSink(target, 1_000_000);
  const lines = Array.from({ length: 60 }, (_, n) => line(n));
  for (const each of lines) sink.write(each);
  await sink.flush();
  t.equal(text(), lines.join(''));
  t.equal(sink.droppedLines, 0);
  await sink.close();
});

t.test('a disk that was full is written to again', async (t) => {
  const { target, text } = scripted((bytes, nth) => (nth === 0 ? 'ENOSPC' : bytes.length));
  const sink = new LogSink(target, 1_000_000);
  sink.write('kept\n');
  await sink.flush();
  await sink.flush();
  t.equal(text(), 'kept\n');
  await sink.close();
});

t.test(
  'without a reader the backlog ends somewhere, what is beyond is counted, and the end comes',
  async (t) => {
    for (const answer of ['EAGAIN', 'ENOSPC', null]) {
      const { target } = scripted(() => answer);
      const sink = new LogSink(target, 100_000);
      const heap = process.memoryUsage().heapUsed + process.memoryUsage().external;
      for (let n = 0; n < 100_000; n++) sink.write(line(n));
      const growth = process.memoryUsage().heapUsed + process.memoryUsage().external - heap;
      t.ok(
        sink.droppedLines > 99_000 && sink.droppedLines < 100_000,
        `${sink.droppedLines} dropped`,
      );
      t.ok(growth < 40_000_000, `${growth} bytes`);
      t.equal(await sink.close(), true);
      t.equal(sink.droppedLines, 100_000, 'what was kept is lost at the end, and counted');
    }
  },
);

t.test('a thread that the system holds is reported at the end of the process', async (t) => {
  const { target } = scripted(() => null, true);
  const sink = new LogSink(target, 1_000_000);
  sink.write('x\n');
  t.equal(await sink.close(), false);
});

t.test('a reader that has gone is not waited for', async (t) => {
  const { target } = scripted(() => 'EPIPE');
  const sink = new LogSink(target, 1_000_000);
  sink.write('one\n');
  await sink.flush();
  sink.write('two\n');
  t.equal(sink.droppedLines, 2);
  t.equal(await sink.close(), true);
});

t.test('a line that a full disk took in part is written anew, whole', async (t) => {
  let isFull = true;
  const { target, text } = scripted((bytes, nth) =>
    nth === 0 ? 15 : isFull ? 'ENOSPC' : bytes.length,
  );
  const sink = new LogSink(target, 1_000_000);
  for (const each of ['first line\n', 'second line\n', 'third line\n']) sink.write(each);
  await sink.flush();
  t.match(sink.state, { isUp: false, waitingLines: 2 });
  t.equal(sink.writtenLines, 1);
  isFull = false;
  await sink.flush();
  t.equal(text(), 'first line\nseco\nsecond line\nthird line\n');
  t.match(sink.state, { isUp: true, waitingLines: 0 });
  t.equal(sink.writtenLines, 3);
  await sink.close();
});

t.test('lines that were written are not counted as lost at the end', async (t) => {
  const { target } = scripted((_bytes, nth) => (nth === 0 ? 15 : 'ENOSPC'));
  const sink = new LogSink(target, 1_000_000);
  for (const each of ['first line\n', 'second line\n', 'third line\n']) sink.write(each);
  await sink.close();
  t.equal(sink.lostLines, 2);
  t.equal(sink.droppedLines, 2);
});
