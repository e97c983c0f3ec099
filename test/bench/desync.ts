import { fileURLToPath } from 'node:url';
import { runDesyncCallers } from '../kit/desync-callers.js';
import { BEHAVIOURS, HEADERS_MILLIS } from '../kit/desync-calls.js';
import { benchDesyncAddresses } from './desync-addresses.js';
import { isProgram, isQuick, print, startServer } from './kit.js';
import { startKeys } from './soapstone.js';

const CALLERS = 20;

/**
 * Callers of a backend that answers early, late, twice and on connections of others, at sizes from
 * 1 KB to 10 MB, for a service without a WSDL. No caller may get what belongs to another call: the
 * program exits with 1 if one does.
 */
export async function benchDesync(calls: number): Promise<void> {
  const backend = await startServer(
    fileURLToPath(new URL('../kit/desync-backend.js', import.meta.url)),
    [],
  );
  const gateway = await startKeys(`services:
  calls: { url: "${backend.url}/", versions: ["1.1"] }
limits:
  upstream: { headersMillis: ${HEADERS_MILLIS}, breakerFailures: 0 }
  overload: { eventLoopMillis: 0 }
  xml: { messageBytes: 33554432, textBytes: 33554432 }
`);
  const startedMillis = performance.now();
  const found = await runDesyncCallers(`${gateway.url}/soap/calls`, Array(calls).keys(), CALLERS);
  const seconds = (performance.now() - startedMillis) / 1000;
  const { cpuMicros } = await gateway.usage();
  await gateway.stop();
  await backend.stop();
  print(
    `\n${calls} calls of ${CALLERS} callers to a backend that answers out of turn, ` +
      `${seconds.toFixed(0)} s\n\n`,
  );
  print(
    `  own reply ${found.own}, cut ${found.cut}, CPU of the gateway ` +
      `${(cpuMicros / 1e6).toFixed(1)} s\n`,
  );
  for (const [code, count] of found.faults) print(`  ${code} ${count}\n`);
  print(`  content of another exchange ${found.foreign.length}\n`);
  for (const behaviour of BEHAVIOURS) {
    const count = found.foreign.filter((each) => each.behaviour === behaviour).length;
    if (count > 0) print(`    of a call answered ${behaviour}: ${count}\n`);
  }
  if (found.foreign.length > 0) process.exitCode = 1;
}

if (isProgram(import.meta.url)) {
  const at = process.argv.indexOf('--calls');
  await benchDesync(at > 0 ? Number(process.argv[at + 1]) : isQuick() ? 10_000 : 300_000);
  await benchDesyncAddresses(isQuick() ? 3_000 : 30_000);
}
