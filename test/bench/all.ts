import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, platform, release } from 'node:os';
import { benchAttack } from './attack.js';
import { benchBalance } from './balance.js';
import { benchCall } from './call.js';
import { benchCurve } from './curve.js';
import { benchEntities } from './entities.js';
import { benchGraphql } from './graphql.js';
import { benchGraphqlSmall } from './graphql-small.js';
import { benchHostile } from './hostile.js';
import { fileOf, isQuick, print, table } from './kit.js';
import { benchLarge } from './large.js';
import { benchMemory } from './memory.js';
import { benchOffered } from './offered.js';
import { benchOverload } from './overload.js';
import { benchProxy } from './proxy.js';
import { benchReader } from './reader.js';
import { benchRefusals } from './refusals.js';
import { benchReload } from './reload.js';
import { benchSigned } from './signed.js';
import { benchStart } from './start.js';
import { benchTraces } from './traces.js';
import { benchUploads } from './uploads.js';
import { benchValidity } from './validity.js';
import { benchWorkers } from './workers.js';
import { benchWsdl } from './wsdl.js';

// Every figure of the README, on this machine. `--quick` for a look; nothing here passes or fails.
const quick = isQuick();
const load = loadavg()[0] ?? 0;
print(`Soapstone bench${quick ? ', quick' : ''}\n`);
print(`Node ${process.version}, ${platform()} ${release()} ${arch()}\n`);
print(
  `${availableParallelism()} processors, ${cpus()[0]?.model ?? 'unknown'}, ` +
    `load ${load.toFixed(2)} before the run\n`,
);

await benchProxy(quick);
await benchCurve(quick, ['elements', 'text', 'dense', 'prefixed'], ['up', 'down'], ['described']);
await benchCurve(quick, ['dense', 'prefixed'], ['up'], ['bare', 'validated']);
await benchLarge(quick);
await benchSigned(quick);
await benchTraces(quick);
await benchMemory(quick);
await benchUploads(quick);
await benchAttack(quick);
await benchOverload(quick);
await benchBalance(quick);
await benchGraphql(quick);
await benchGraphqlSmall(quick);
await benchEntities(quick);
await benchOffered(quick);
await benchRefusals(quick);
await benchCall(quick);
// In a process of its own: nothing may be collected while it runs.
execFileSync(process.execPath, [fileOf('decode.js'), quick ? '3' : '9'], { stdio: 'inherit' });
await benchWsdl(quick);
await benchStart(quick);
await benchReload(quick);
await benchWorkers(quick);
await benchValidity(quick);

print('\nThe XML reader alone, 20 MB of orders\n\n');
const rows = (await benchReader(quick ? 2 : 5)).map(({ name, value, unit }) => [
  name,
  value.toFixed(2),
  unit,
]);
print(table(['what', 'value', 'unit'], rows));
benchHostile(quick);
