import { resolve } from 'node:path';
import { cpuMicros, fileOf, isProgram, isQuick, median, print, startServer, table } from './kit.js';
import { Load } from './load.js';
import { GRAPHQL_CALL } from './messages.js';
import { startKeys } from './soapstone.js';

const AT_ONCE = 24;

const FIELDS = 'id,status,total,customer/name';

/** One small operation by GraphQL, over REST and as a tool, with the same fields: CPU per request, in turn. */
export async function benchOffered(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const gateway = await startKeys(`services:
  legacy:
    wsdl: ${resolve('config/demo/legacy.wsdl')}
    url: ${backend.url}/soap/bench?orders=1
    rest: true
    operations: { ListOrders: { field: Query.orders } }
mcp: { operations: [legacy.ListOrders] }
limits: { overload: { eventLoopMillis: 0 } }
`);
  const load = new Load(gateway.url);
  const json = ['content-type', 'application/json'];
  const message = Buffer.from(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'orders', arguments: { fields: FIELDS } },
    }),
  );
  const path = `/rest/legacy/ListOrders?fields=${FIELDS}`;
  const none = Buffer.from('{}');
  const ways: readonly (readonly [string, () => Promise<number>])[] = [
    ['GraphQL', () => load.ask(GRAPHQL_CALL)],
    ['REST', () => load.post(path, json, none)],
    ['MCP', () => load.post('/mcp', [...json, 'mcp-protocol-version', '2025-11-25'], message)],
  ];
  try {
    const count = quick ? 1_000 : 6_000;
    for (const [, ask] of ways) await cpuMicros(gateway, ask, count, AT_ONCE);
    const ratios = new Map(ways.map(([name]): [string, number[]] => [name, []]));
    const micros = new Map(ways.map(([name]): [string, number[]] => [name, []]));
    for (let round = 0; round < (quick ? 5 : 11); round++) {
      const taken = new Map<string, number>();
      for (const [name, ask] of ways) taken.set(name, await cpuMicros(gateway, ask, count, AT_ONCE));
      for (const [name, each] of taken) {
        micros.get(name)?.push(each);
        ratios.get(name)?.push(each / (taken.get('GraphQL') ?? 1));
      }
    }
    print(`\nOne order: the same fields by GraphQL, over REST and as a tool, ${count} a round\n\n`);
    const rows = [...micros].map(([name, all]) => [
      name,
      median(all).toFixed(0),
      median(ratios.get(name) ?? []).toFixed(2),
    ]);
    print(table(['way', 'CPU µs/request', 'CPU to GraphQL'], rows));
  } finally {
    await load.close();
    await gateway.stop();
    await backend.stop();
  }
}

if (isProgram(import.meta.url)) await benchOffered(isQuick());
