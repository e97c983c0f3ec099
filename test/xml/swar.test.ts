import fc from 'fast-check';
import t from 'tap';

import { CLASS, STOPS_TEXT, STOPS_VALUE } from '../../src/xml/chars.js';
import { skipPlainText, skipPlainValue } from '../../src/xml/plain-text.js';

const RUNS = [
  ['text', skipPlainText, STOPS_TEXT],
  ['an attribute value', skipPlainValue, STOPS_VALUE],
] as const;

t.test(
  'a run never passes over a byte that ends it, and passes over whole words without one',
  (t) => {
    for (const [name, run, stops] of RUNS) {
      const isStop = (byte: number): boolean => ((CLASS[byte] ?? 0) & stops) !== 0;
      for (let byte = 0; byte < 256; byte++) {
        for (let place = 0; place < 9; place++) {
          const bytes = Buffer.alloc(9, 'a');
          bytes[place] = byte;
          const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
          const end = run(view, 0, bytes.length);
          if (isStop(byte) && end > place) t.fail(`${name}: passes over ${byte} at ${place}`);
        }
      }
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(7), (bytes, from) => {
          const start = Math.min(from, bytes.length);
          const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
          const end = run(view, start, bytes.length);
          return end >= start && end <= bytes.length && !bytes.subarray(start, end).some(isStop);
        }),
      );
      const letters = Buffer.from(
        'The quick brown fox jumps over a lazy dog, 1234567890 times/day; {so} [it] (is) said_!',
      );
      const view = new DataView(letters.buffer, letters.byteOffset, letters.length);
      t.ok(
        run(view, 0, letters.length) > letters.length - 4,
        `${name}: plain ASCII is passed over`,
      );
    }
    t.end();
  },
);
