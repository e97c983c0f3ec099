import { parse } from 'graphql';
import { Pool } from 'undici';
import { encodeRequest } from '../../src/codec/write/encode.js';
import { type Compiled, compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { callOperation } from '../../src/flow/graphql/call.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { planReply } from '../../src/graphql/schema/output/reply-plan.js';
import { fileOf, isProgram, isQuick, median, print, startServer, table } from './kit.js';
import { withConfiguration } from './soapstone.js';

/**
 * What a small call costs this process beside the same call written by hand: `undici`, an envelope
 * from a template, the reply as text with two values picked by a pattern. In turns, so that both
 * meet the same machine; processor time.
 */
export async function benchCall(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const compiled = await withConfiguration(`${backend.url}${TARGET}`, async (file) =>
    compile(await loadConfig(file, process.env)),
  );
  const pool = new Pool(backend.url);
  try {
    const rounds = quick ? 10 : 40;
    const { byHand, ours, envelope } = await measure(waysOf(compiled, pool), rounds);
    const ratios = ours.map((cost, at) => cost / (byHand[at] ?? cost));
    print(`\nA small call in this process, CPU (${rounds} rounds of ${CALLS} in turns)\n\n`);
    const rows = [
      ['undici, template, pattern', median(byHand).toFixed(1), '1.00'],
      ['the gateway, from values to values', median(ours).toFixed(1), median(ratios).toFixed(2)],
      ['of that the envelope alone', median(envelope).toFixed(1), ''],
    ];
    print(table(['call', 'us', 'times by hand'], rows));
  } finally {
    await pool.close();
    await compiled.close();
    await backend.stop();
  }
}

const TARGET = '/soap/bench?orders=1';
const CALLS = 300;

type Way = () => Promise<void>;

interface Ways<T> {
  readonly byHand: T;
  readonly ours: T;
  readonly envelope: T;
}

function waysOf({ services, graph, config }: Compiled, pool: Pool): Ways<Way> {
  const service = services.find(({ name }) => name === 'legacy');
  const bound = graph.fields.get('Query.orders');
  const [definition] = parse('{ orders { id total } }').definitions;
  const node =
    definition?.kind === 'OperationDefinition' ? definition.selectionSet.selections[0] : undefined;
  if (service === undefined || bound === undefined || node?.kind !== 'Field')
    throw new Error('no call');
  const field = {
    bound,
    arguments: { limit: 1 },
    headers: {},
    plan: planReply(bound.reply, [node], { fragments: new Map(), variables: {} }),
  };
  const { signal } = new AbortController();
  const limits = config.limits.codec;
  return {
    ours: async () => {
      await callOperation(field, {
        service,
        signal,
        headers: {},
        claims: null,
        limits,
        exchange: new Exchange('1', '', 'POST'),
      });
    },
    byHand: () => callByHand(pool),
    envelope: async () => void encodeRequest(bound.requestPlan, service.dialects[0], field, limits),
  };
}

async function callByHand(pool: Pool): Promise<void> {
  const { body } = await pool.request({
    path: TARGET,
    method: 'POST',
    headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
    body: template({ limit: 1 }),
  });
  const text = await body.text();
  const picked = [
    /<(?:\w+:)?id>([^<]*)</.exec(text)?.[1],
    /<(?:\w+:)?total>([^<]*)</.exec(text)?.[1],
  ];
  if (picked.includes(undefined)) throw new Error('nothing picked');
}

const template = ({ limit }: { readonly limit: number }): string =>
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
  'xmlns:o="http://legacy.example.com/orders/2009"><s:Body><o:ListOrders><o:limit>' +
  `${limit}</o:limit></o:ListOrders></s:Body></s:Envelope>`;

async function measure(
  { byHand, ours, envelope }: Ways<Way>,
  rounds: number,
): Promise<Ways<readonly number[]>> {
  const micros: Ways<number[]> = { byHand: [], ours: [], envelope: [] };
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    const costs = {
      byHand: await costOf(byHand),
      ours: await costOf(ours),
      envelope: await costOf(envelope),
    };
    if (round < 0) continue;
    micros.byHand.push(costs.byHand);
    micros.ours.push(costs.ours);
    micros.envelope.push(costs.envelope);
  }
  return micros;
}

const WARM_ROUNDS = 3;

async function costOf(act: Way): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

if (isProgram(import.meta.url)) await benchCall(isQuick());
