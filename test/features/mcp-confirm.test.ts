import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { type Crm, clientsOf, keyOf, useCrm } from '../kit/crm.js';
import { postJson } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';

/** Calls of tools that a person has to confirm, in both generations of the protocol. */

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

const MCP =
  'mcp: { operations: [crm.GetCustomer], write: [crm.SetCustomer], confirm: [crm.SetCustomer]';
const start = (t: Test, more = '', further = ''): Promise<Crm> =>
  useCrm(t, '', `${MCP}${more} }\n${further}`);

const NEWER = '2026-07-28';
const OLDER = '2025-11-25';
const ARGUMENTS = { id: 7, name: 'Bob' };

/** Calls the tool by the revision without sessions. */
async function set(
  crm: Crm,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<Json> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': NEWER,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const params = { name: 'setCustomer', arguments: ARGUMENTS, ...more, _meta };
  const answer = await postJson(
    `${crm.gateway.url}/mcp`,
    { jsonrpc: '2.0', id: 'a', method: 'tools/call', params },
    {
      'mcp-protocol-version': NEWER,
      'mcp-method': 'tools/call',
      'mcp-name': 'setCustomer',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  );
  return answer.json();
}

const accepted = (requestState?: string): object => ({
  inputResponses: { confirm: { action: 'accept', content: {} } },
  ...(requestState === undefined ? {} : { requestState }),
});

const as = (name: string): Record<string, string> => ({ 'x-api-key': keyOf(name) });

const isQuestion = ({ result }: Json): boolean => result?.resultType === 'input_required';

t.test('a call is made once a person has confirmed it, and once only', async (t) => {
  const crm = await start(t);
  const { result } = await set(crm);
  t.match(result, {
    resultType: 'input_required',
    inputRequests: {
      confirm: { method: 'elicitation/create', params: { message: /setCustomer.*"Bob"/ } },
    },
    requestState: String,
  });
  for (const action of ['decline', 'cancel', 'yes', true]) {
    const answers = { inputResponses: { confirm: { action } }, requestState: result.requestState };
    t.match(await set(crm, answers), { result: { isError: true } }, String(action));
  }
  t.equal(crm.backend.complete.length, 0, 'nothing was sent');
  t.match(await set(crm, accepted(result.requestState)), {
    result: { resultType: 'complete', structuredContent: Object },
  });
  t.equal(crm.backend.complete.length, 1);
  t.ok(isQuestion(await set(crm, accepted(result.requestState))), 'it is asked again');
  t.equal(crm.backend.complete.length, 1, 'one confirmation is for one call');
});

t.test('no answer confirms a call that was not asked about', async (t) => {
  const crm = await start(t, '', clientsOf({ a: '{}', b: '{}' }));
  const { requestState } = (await set(crm, {}, as('a'))).result;
  const changed = `${requestState.slice(0, -2)}${requestState.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const [what, more, client] of [
    ['without a question', accepted(), 'a'],
    ['an answer to another question', { inputResponses: { other: { action: 'accept' } } }, 'a'],
    ['a state of the caller', accepted(Buffer.from('[1]').toString('base64url')), 'a'],
    ['a changed state', accepted(changed), 'a'],
    ['random bytes', accepted(randomBytes(200).toString('base64url')), 'a'],
    ['other arguments', { ...accepted(requestState), arguments: { id: 8, name: 'Bob' } }, 'a'],
    [
      'more arguments',
      { ...accepted(requestState), arguments: { ...ARGUMENTS, address: { street: 'x' } } },
      'a',
    ],
    ['another client', accepted(requestState), 'b'],
  ] as const)
    t.ok(isQuestion(await set(crm, more, as(client))), what);
  t.equal(crm.backend.complete.length, 0, 'nothing was sent');
  const reordered = { ...accepted(requestState), arguments: { name: 'Bob', id: 7 } };
  t.match(await set(crm, reordered, as('a')), { result: { resultType: 'complete' } });
});

t.test('a confirmation ends, and replicas with the same keys share it', async (t) => {
  const keys = `, keys: ["${'k'.repeat(40)}"]`;
  const [one, other, third] = [await start(t, keys), await start(t, keys), await start(t)];
  const { requestState } = (await set(one)).result;
  t.ok(isQuestion(await set(third, accepted(requestState))), 'a gateway with another key');
  t.match(await set(other, accepted(requestState)), { result: { resultType: 'complete' } });
  const short = await start(t, '', 'limits: { mcp: { confirmMillis: 1000 } }\n');
  const asked = (await set(short)).result;
  await new Promise((resolve) => setTimeout(resolve, 1100));
  t.ok(isQuestion(await set(short, accepted(asked.requestState))), 'too late');
  t.equal(short.backend.complete.length, 0);
});

t.test('a question shows arguments whole, or names what it cuts', async (t) => {
  const crm = await start(t);
  const name = 'x'.repeat(50_000);
  const { result } = await set(crm, {
    arguments: { name, id: 7, address: { street: 'a\u202eb' } },
  });
  const { message } = result.inputRequests.confirm.params;
  t.match(
    message,
    /"id": 7, "address": \{"street":"a\\u202eb"\}, "name": "x{99}\.\.\. \(CUT: 50002/,
  );
  t.ok(message.length < 5000);
});

/** A client of the revisions with a handshake. */
async function connect(crm: Crm, capabilities: object, client: Record<string, string> = {}) {
  const post = (body: unknown, more: Record<string, string> = {}): Promise<Response> =>
    postJson(`${crm.gateway.url}/mcp`, body, {
      'mcp-protocol-version': OLDER,
      accept: 'application/json, text/event-stream',
      ...client,
      ...more,
    });
  const params = { protocolVersion: OLDER, capabilities, clientInfo: { name: 't', version: '1' } };
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await opened.json();
  const id = opened.headers.get('mcp-session-id');
  const session: Record<string, string> = id === null ? {} : { 'mcp-session-id': id };
  return {
    id,
    /** The response to a call, or the stream of its messages. */
    call: (values: object = ARGUMENTS, more: Record<string, string> = {}): Promise<Response> =>
      post(
        {
          jsonrpc: '2.0',
          id: 5,
          method: 'tools/call',
          params: { name: 'setCustomer', arguments: values },
        },
        { ...session, ...more },
      ),
    answer: async (question: string, action: string, more: Record<string, string> = {}) =>
      (await post({ jsonrpc: '2.0', id: question, result: { action } }, { ...session, ...more }))
        .status,
  };
}

/** The messages of an event stream, one by one. */
async function* messagesOf({ body }: Response): AsyncGenerator<Json> {
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

/** The question of a call, and its response once that is answered. */
async function asked(response: Response): Promise<{ question: Json; rest: () => Promise<Json> }> {
  const messages = messagesOf(response);
  const { value: question } = await messages.next();
  return { question, rest: async () => (await messages.next()).value };
}

t.test('a client with a handshake is asked in the stream of its call', async (t) => {
  const crm = await start(t);
  const client = await connect(crm, { elicitation: {} });
  const response = await client.call();
  t.match(response.headers.get('content-type'), 'text/event-stream');
  const { question, rest } = await asked(response);
  t.match(question, {
    jsonrpc: '2.0',
    method: 'elicitation/create',
    params: { message: /setCustomer.*"Bob"/, requestedSchema: { type: 'object' } },
  });
  t.equal(crm.backend.complete.length, 0, 'nothing is sent before the answer');
  t.equal(await client.answer(question.id, 'accept'), 202);
  t.match(await rest(), { id: 5, result: { structuredContent: Object } });
  t.equal(crm.backend.complete.length, 1);
  t.equal(await client.answer(question.id, 'accept'), 202, 'an answer that comes again');
  const second = await asked(await client.call());
  await client.answer(second.question.id, 'decline');
  t.match(await second.rest(), { id: 5, result: { isError: true } });
  t.equal(crm.backend.complete.length, 1);
});

t.test('a client that cannot ask a person is refused, with the reason', async (t) => {
  const crm = await start(t);
  for (const capabilities of [{}, { elicitation: { url: {} } }, { elicitation: true }]) {
    const client = await connect(crm, capabilities);
    t.equal(client.id, null);
    const { result }: Json = await (await client.call()).json();
    t.match(result, { isError: true, content: [{ text: /no capability `elicitation`/ }] });
  }
  const able = await connect(crm, { elicitation: { form: {} } });
  const plain: Json = await (await able.call(ARGUMENTS, { accept: 'application/json' })).json();
  t.match(plain.result, { isError: true, content: [{ text: /text\/event-stream/ }] });
  const forged = await able.call(ARGUMENTS, {
    'mcp-session-id': randomBytes(60).toString('base64url'),
  });
  t.equal(forged.status, 404, 'the client has to initialize again');
  t.equal(crm.backend.complete.length, 0);
});

t.test('questions are bounded, end, and are answered by their own client', async (t) => {
  const further =
    'limits: { mcp: { confirmMillis: 2000, pendingConfirmations: 1 } }\n' +
    `${clientsOf({ a: '{}', b: '{}' })}`;
  const crm = await start(t, '', further);
  const a = await connect(crm, { elicitation: {} }, as('a'));
  const b = await connect(crm, { elicitation: {} }, as('b'));
  const first = await asked(await a.call());
  const full: Json = await (await b.call()).json();
  t.match(full.result, { isError: true, content: [{ text: /no further call can wait/ }] });
  t.equal(await b.answer(first.question.id, 'accept'), 202);
  t.match(await first.rest(), { result: { isError: true, content: [{ text: /in time/ }] } });
  t.equal(crm.backend.complete.length, 0, 'another client has confirmed nothing');
  const leaving = new AbortController();
  const gone = await fetch(`${crm.gateway.url}/mcp`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': OLDER,
      accept: 'application/json, text/event-stream',
      'mcp-session-id': a.id ?? '',
      ...as('a'),
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 6, method: 'tools/call' },
      params: { name: 'setCustomer', arguments: ARGUMENTS },
    }),
  });
  const left = await asked(gone);
  leaving.abort();
  await until(async () => {
    const next = await b.call();
    const isWaiting = next.headers.get('content-type')?.includes('event-stream') === true;
    if (isWaiting) await b.answer((await asked(next)).question.id, 'decline');
    return isWaiting;
  });
  t.equal(await a.answer(left.question.id, 'accept'), 202);
  t.equal(crm.backend.complete.length, 0, 'nothing is sent for a client that has left');
});
