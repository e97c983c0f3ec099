import { Buffer } from 'node:buffer';
import t from 'tap';
import { joinAdjacent, joinBuffers } from '../../src/core/buffers/bytes.js';

const packet = Buffer.from('0123456789');

t.test('pieces of one packet are joined without a copy', async (t) => {
  const joined = joinAdjacent(packet.subarray(1, 4), packet.subarray(4, 9));
  t.equal(joined?.toString(), '12345678');
  t.equal(joined?.buffer, packet.buffer);
  t.equal(joined?.byteOffset, packet.byteOffset + 1);
  const all = joinBuffers([packet.subarray(0, 2), packet.subarray(2, 2), packet.subarray(2, 10)]);
  t.equal(all.toString(), '0123456789');
  t.equal(all.buffer, packet.buffer);
});

t.test('pieces with a gap, out of order or of other packets are not', async (t) => {
  const other = Buffer.alloc(10, 'x');
  for (const [first, next] of [
    [packet.subarray(0, 3), packet.subarray(4)],
    [packet.subarray(3), packet.subarray(0, 3)],
    [packet.subarray(0, 3), packet.subarray(2)],
    [packet.subarray(0, 3), other.subarray(3)],
  ] as const) {
    t.equal(joinAdjacent(first, next), null);
    t.equal(joinBuffers([first, next]).toString(), first.toString() + next.toString());
  }
  t.equal(joinBuffers([]).length, 0);
  t.equal(joinBuffers([packet]), packet);
});
