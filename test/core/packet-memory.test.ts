import { Buffer } from 'node:buffer';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { collectPackets, packetRead } from '../../src/core/buffers/packet-memory.js';
import { KIB, MIB } from '../../src/core/limit.js';

/** The most memory of packets at any time, where each is dropped as soon as it was read. */
async function mostHeld(packetBytes: number, count: number): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let at = 0; at < count; at++) {
    Buffer.allocUnsafeSlow(packetBytes).fill(at);
    packetRead(packetBytes);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    if (at % 16 === 0) await turn();
  }
  return most;
}

t.test('the memory of long packets comes back each 8 MiB', async (t) => {
  const without = await mostHeld(64 * KIB, 2_000);
  collectPackets();
  t.notOk('gc' in globalThis, 'the collector is not left to others');
  const most = await mostHeld(64 * KIB, 2_000);
  t.comment(`${Math.round(without / MIB)} MiB without, ${Math.round(most / MIB)} MiB`);
  t.ok(most < 20 * MIB, `${most} bytes`);
});
