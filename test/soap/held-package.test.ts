import { Buffer } from 'node:buffer';
import t from 'tap';
import { HeldPackage } from '../../src/soap/mime/held-package.js';
import { XOP_URI } from '../../src/soap/mime/include.js';

const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const MIB = 1024 * 1024;

/** A package that is held, whose reader writes down what it gets. */
function hold(limitBytes = 4 * MIB) {
  const log: string[] = [];
  const held = new HeldPackage(limitBytes);
  const { envelope, attachments } = held.before(
    {
      encoding: 'utf-8',
      begin: () => log.push('begin'),
      write: (chunk) => log.push(`envelope ${chunk.length}`),
      end: () => log.push('envelope end'),
    },
    {
      begin: (id) => log.push(`part ${id}`) > 0,
      data: (piece) => log.push(`data ${piece.length}`),
      end: () => log.push('end'),
    },
  );
  envelope.begin(null);
  log.length = 0;
  return {
    held,
    envelope,
    attachments,
    log,
    /** What is read in one step. */
    step(): readonly string[] {
      const from = log.length;
      envelope.work?.();
      return log.slice(from);
    },
  };
}

const envelopeOf = (bytes: number, more = ''): Buffer =>
  Buffer.from(`${SIGNATURE} ${more}`.padEnd(bytes));

t.test('a short package is read at once, when its last part is there', async (t) => {
  const { envelope, attachments, log, held } = hold();
  envelope.write(envelopeOf(300, XOP_URI));
  envelope.end();
  attachments.begin('a', 'binary', null, 0);
  attachments.data(Buffer.from('abc'));
  t.same(log, []);
  t.equal(held.partOf(['a']), null, 'others may come');
  envelope.endOfPackage?.();
  t.same(log, ['envelope 300', 'envelope end', 'part a', 'data 3']);
  t.equal(envelope.hasWork, false);
  t.equal(envelope.isCollecting, false);
  t.equal(String(held.partOf(['a'])?.bytes), 'abc');
});

t.test('a long package is read in steps', async (t) => {
  const { envelope, attachments, log, step } = hold();
  envelope.write(envelopeOf(40_000, XOP_URI));
  envelope.end();
  for (const id of ['a', 'b']) {
    attachments.begin(id, 'binary', null, 0);
    for (let at = 0; at < 3; at++) attachments.data(Buffer.alloc(MIB / 4));
  }
  envelope.endOfPackage?.();
  t.same(log, []);
  const steps: string[] = [];
  for (let count = 0; envelope.hasWork === true && count < 100; count++) {
    t.equal(envelope.isCollecting, true);
    const read = step();
    t.ok(read.length <= 1, 'one thing in a step');
    steps.push(...read);
  }
  const data = [1, 2, 3].map(() => `data ${MIB / 4}`);
  t.same(steps.slice(-9), ['envelope end', 'part a', ...data, 'part b', ...data]);
  t.ok(
    steps.slice(0, -9).every((line) => Number(line.split(' ')[1]) <= 16 * 1024),
    'an envelope in pieces',
  );
});

t.test('a step ends with the tag of an Include, whose content comes before the rest', async (t) => {
  const { envelope, held, step, log, attachments } = hold();
  const text = `${SIGNATURE} ${XOP_URI} <x:Include href="a"/> <y/>`;
  envelope.write(Buffer.from(text));
  envelope.end();
  attachments.begin('a', 'binary', null, 0);
  attachments.data(Buffer.alloc(MIB));
  envelope.endOfPackage?.();
  t.same(log, []);
  t.same(step(), [`envelope ${text.indexOf('/> <y') + 2}`]);
  let slices = 3;
  held.include({ writeSlice: () => --slices > 0 });
  t.same([step(), step(), step()], [[], [], []]);
  t.equal(slices, 0);
  t.same(step(), ['envelope 5']);
  slices = 3;
  held.include({ writeSlice: () => --slices > 0 });
  held.writeIncluded();
  t.equal(slices, 0, 'all of it before an event behind it');
});

t.test(
  'parts of a package without an Include flow, also those that come while its envelope is read',
  async (t) => {
    const { envelope, attachments, log, step } = hold();
    envelope.write(envelopeOf(100_000));
    envelope.end();
    t.equal(envelope.hasWork, true);
    attachments.begin('a', 'binary', null, 0);
    attachments.data(Buffer.alloc(10));
    const steps: string[] = [];
    while (envelope.hasWork === true) steps.push(...step());
    t.same(steps.slice(-3), ['envelope end', 'part a', 'data 10']);
    log.length = 0;
    attachments.data(Buffer.alloc(20));
    attachments.begin('b', 'binary', null, 0);
    attachments.data(Buffer.alloc(30));
    attachments.end?.();
    t.same(log, ['data 20', 'part b', 'data 30', 'end']);
  },
);

t.test('a long envelope without an Include is not held beyond the limit', async (t) => {
  const { envelope, log, step } = hold(100_000);
  for (let at = 0; at < 50; at++) {
    envelope.write(envelopeOf(10_000));
    while (envelope.hasWork === true) step();
  }
  const read = log.map((line) => Number(line.split(' ')[1]));
  t.equal(
    read.reduce((sum, bytes) => sum + bytes, 0),
    500_000,
  );
  envelope.end();
  t.equal(log.at(-1), 'envelope end');
  const { envelope: other } = hold(100_000);
  t.throws(
    () => {
      for (let at = 0; at < 50; at++) other.write(envelopeOf(10_000, XOP_URI));
    },
    { code: 'HTTP_TOO_LARGE' },
  );
});
