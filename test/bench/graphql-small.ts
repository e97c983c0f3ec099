import { cpuMicros, fileOf, isProgram, isQuick, median, print, startServer, table } from './kit.js';
import { Load } from './load.js';
import { GRAPHQL_CALL, type SmallCall, SOAP_CALL } from './messages.js';
import { startSoapstone } from './soapstone.js';

const AT_ONCE = 16;

const WITH_VARIABLE: SmallCall = {
  ...GRAPHQL_CALL,
  body: Buffer.from(
    JSON.stringify({
      query: 'query ($limit: Int) { orders(limit: $limit) { id status total customer { name } } }',
      variables: { limit: 1 },
    }),
  ),
};

/** A small GraphQL query, its document known, beside the same SOAP call through the proxy: CPU per request, in turn. */
export async function benchGraphqlSmall(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const gateway = await startSoapstone(`${backend.url}/soap/bench?orders=1`);
  const load = new Load(gateway.url, undefined, AT_ONCE);
  const ways: readonly (readonly [string, () => Promise<number>])[] = [
    ['SOAP', () => load.ask(SOAP_CALL)],
    ['GraphQL', () => load.ask(GRAPHQL_CALL)],
    ['GraphQL, with a variable', () => load.ask(WITH_VARIABLE)],
  ];
  try {
    const count = quick ? 1_000 : 6_000;
    for (const [, ask] of ways) await cpuMicros(gateway, ask, count, AT_ONCE);
    const micros = new Map(ways.map(([name]): [string, number[]] => [name, []]));
    for (let round = 0; round < (quick ? 5 : 11); round++) {
      for (const [name, ask] of ways) micros.get(name)?.push(await cpuMicros(gateway, ask, count, AT_ONCE));
    }
    const base = median(micros.get('SOAP') ?? []);
    print(`\nOne order: the same call through the proxy and as a GraphQL query, ${count} a round\n\n`);
    const rows = [...micros].map(([name, all]) => [name, median(all).toFixed(0), (median(all) / base).toFixed(2)]);
    print(table(['way', 'CPU µs/request', 'CPU to SOAP'], rows));
  } finally {
    await load.close();
    await gateway.stop();
    await backend.stop();
  }
}

if (isProgram(import.meta.url)) await benchGraphqlSmall(isQuick());
