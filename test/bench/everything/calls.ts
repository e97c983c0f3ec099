import { randomBytes } from 'node:crypto';
import type { Identity } from '../../kit/certificates.js';
import { envelope, MEDIA, SOAP, type Version } from '../../kit/envelope.js';
import { signedMessage } from '../../kit/signed-message.js';
import type { TestIssuer } from '../../kit/token-issuer.js';
import { FORM_TYPE, uploadForm } from '../../kit/upload-form.js';
import { contentOf } from './backend.js';
import type { Answer, Asked, Connections } from './caller.js';
import { CLIENTS, keyOfClient, ROWS, type ServiceName } from './configuration.js';
import type { SeededRandom } from './random.js';

/** The parts that a kind of call needs. */
export interface CallSite {
  readonly connections: Connections;
  readonly random: SeededRandom;
  readonly issuer: TestIssuer;
  readonly signer: Identity;
  /** A new id, which no other call has. */
  nextId(): number;
  /** A write is about to be sent. */
  write(id: number): Write;
}

/** A write, which the ledger of the backend is compared with. */
export interface Write {
  readonly id: number;
  readonly isKeyed: boolean;
  /** A caller got its receipt. */
  isAnswered: boolean;
}

/** A kind of call: resolves to the answers that were checked. Rejects with `Deviation`. */
export type Kind = (site: CallSite) => Promise<readonly Answer[]>;

/** The answer is not the one that is due: a refusal with a code, or a wrong content. */
export class Deviation extends Error {
  /** Null: the content is wrong. */
  readonly code: string | null;

  constructor(answer: Answer, expected: string) {
    const code = refusalIn(answer);
    super(`expected ${expected}, got ${answer.status} ${answer.text.slice(0, 400)}`);
    this.code = code;
  }
}

const CODE = /\b(?:[A-Z]{2,}(?:_[A-Z0-9]+)+|OVERLOADED|INTERNAL|FORBIDDEN|UNAUTHENTICATED)\b/;
/** The code of a refusal. Downloads have a status alone, and tools a sentence. */
function refusalIn({ status, text }: Answer): string | null {
  if (text === '' && status >= 502) return `HTTP ${status}`;
  const isTool = text.includes('"isError":true') && !/internal/i.test(text);
  return isTool ? 'a tool' : (CODE.exec(text)?.[0] ?? null);
}

const clientFields = (site: CallSite): Record<string, string> => ({
  'x-api-key': keyOfClient(site.random.below(CLIENTS)),
});

async function expect(site: CallSite, asked: Asked, expected: string | RegExp): Promise<Answer> {
  const answer = await site.connections.ask(asked);
  const isRight =
    answer.status < 300 &&
    (typeof expected === 'string' ? answer.text.includes(expected) : expected.test(answer.text));
  if (!isRight) throw new Deviation(answer, String(expected));
  return answer;
}

const soapOf = (service: ServiceName, content: string, version: Version = '1.1'): Asked => ({
  path: `/soap/${service}`,
  type: MEDIA[version],
  headers: version === '1.1' ? { soapaction: '""' } : {},
  body: envelope(content, '', SOAP[version]),
});

const graphqlOf = (body: unknown, headers: Record<string, string>): Asked => ({
  path: '/graphql',
  type: 'application/json',
  headers,
  body: JSON.stringify(body),
});

const readOf = (service: ServiceName, id: number): string =>
  `<Read xmlns="urn:${service}"><id>${id}</id></Read>`;

const writeOf = (service: ServiceName, id: number): string =>
  `<Write xmlns="urn:${service}"><id>${id}</id><sum>1</sum></Write>`;

/** An id that others read at about the same time: its reply is cached, and calls are coalesced. */
const sharedId = ({ random }: CallSite): number => -1 - random.below(30);

const soapRead =
  (service: ServiceName, version: Version): Kind =>
  async (site) => {
    const id = site.random.next() < 0.5 ? sharedId(site) : site.nextId();
    const { headers = {}, ...asked } = soapOf(service, readOf(service, id), version);
    const fields = { ...headers, ...clientFields(site) };
    const expected = `>value of ${id}<`;
    return [await expect(site, { ...asked, headers: fields }, expected)];
  };

/** Two callers at the same time: one call serves both. */
const togetherRead: Kind = (site) => {
  const id = site.nextId();
  const query = `{ plainRead(id: ${id}) { value } }`;
  return Promise.all(
    [0, 1].map(() => expect(site, graphqlOf({ query }, clientFields(site)), `"value of ${id}"`)),
  );
};

const batch: Kind = async (site) => {
  const ids = [site.nextId(), sharedId(site), site.nextId()];
  const requests = ids.map((id) => ({
    query: 'query ($id: Int!) { plainRead(id: $id) { id value childRead { value } } }',
    variables: { id },
  }));
  const answer = await site.connections.ask(graphqlOf(requests, clientFields(site)));
  const expected = ids.map(
    (id) => `"id":${id},"value":"value of ${id}","childRead":{"value":"value of ${id + 1}"}`,
  );
  const places = expected.map((each) => answer.text.indexOf(each));
  const isInOrder = places.every((place, at) => place >= 0 && place > (places[at - 1] ?? -1));
  if (!isInOrder) throw new Deviation(answer, expected.join(' '));
  return [answer];
};

const pages: Kind = async (site) => {
  const ask = site.nextId();
  const query = `{ plainList(ask: ${ask}, first: ${ROWS + 5}) { nodes { id ask } } }`;
  const nodes = Array.from({ length: ROWS }, (_, id) => `{"id":${id},"ask":${ask}}`).join();
  return [await expect(site, graphqlOf({ query }, clientFields(site)), `[${nodes}]`)];
};

const restRead =
  (service: ServiceName): Kind =>
  async (site) => {
    const id = sharedId(site);
    const asked = {
      path: `/rest/${service}/Read`,
      type: 'application/json',
      headers: clientFields(site),
      body: JSON.stringify({ id }),
    };
    return [await expect(site, asked, `"value of ${id}"`)];
  };

type SendWrite = (site: CallSite, id: number, fields: Record<string, string>) => Asked;

const WRITES: Readonly<Record<'SOAP' | 'GraphQL' | 'REST', SendWrite>> = {
  SOAP: (site, id, fields) => {
    const version = site.random.next() < 0.5 ? '1.1' : '1.2';
    const { headers = {}, ...asked } = soapOf('plain', writeOf('plain', id), version);
    return { ...asked, headers: { ...headers, ...fields } };
  },
  GraphQL: (_site, id, fields) =>
    graphqlOf({ query: `mutation { plainWrite(id: ${id}, sum: 1) { id receipt } }` }, fields),
  REST: (_site, id, fields) => ({
    path: '/rest/plain/Write',
    type: 'application/json',
    headers: fields,
    body: JSON.stringify({ id, sum: 1 }),
  }),
};

const KEYED_TRIES = 5;
const AGAIN_MILLIS = 300;

/** A write under an idempotency key, which its caller repeats until it has an answer. */
const keyedWrite =
  (protocol: keyof typeof WRITES): Kind =>
  async (site) => {
    const write = site.write(site.nextId());
    const fields = { ...clientFields(site), 'idempotency-key': `key-of-${write.id}` };
    const asked = WRITES[protocol](site, write.id, fields);
    for (let left = KEYED_TRIES; ; left--) {
      try {
        const answer = await expect(site, asked, `R${write.id}-1`);
        write.isAnswered = true;
        return [answer];
      } catch (caught) {
        if (left === 0) throw caught;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLIS));
      }
    }
  };

/** A write that its caller makes once. */
const write =
  (protocol: keyof typeof WRITES): Kind =>
  async (site) => {
    const made = site.write(site.nextId());
    const answer = await expect(
      site,
      WRITES[protocol](site, made.id, clientFields(site)),
      `R${made.id}-1`,
    );
    made.isAnswered = true;
    return [answer];
  };

const REVISION = '2026-07-28';

function toolCall(fields: Record<string, string>, name: string, params: object): Asked {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  return {
    path: '/mcp',
    type: 'application/json',
    headers: {
      ...fields,
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, ...params, _meta },
    }),
  };
}

const toolRead: Kind = async (site) => {
  const id = site.nextId();
  const asked = toolCall(clientFields(site), 'plainRead', { arguments: { id } });
  return [await expect(site, asked, `value of ${id}`)];
};

/** A tool that writes: a person confirms it. */
const toolWrite: Kind = async (site) => {
  const made = site.write(site.nextId());
  const fields = clientFields(site);
  const call = { arguments: { id: made.id, sum: 1 } };
  const question = await expect(site, toolCall(fields, 'plainWrite', call), 'input_required');
  const { requestState } = JSON.parse(question.text).result;
  const inputResponses = { confirm: { action: 'accept', content: {} } };
  const confirmed = toolCall(fields, 'plainWrite', { ...call, inputResponses, requestState });
  const answer = await expect(site, confirmed, `R${made.id}-1`);
  made.isAnswered = true;
  return [question, answer];
};

const upload: Kind = async (site) => {
  const id = site.nextId();
  const content = randomBytes(1 + site.random.below(300_000));
  const query =
    'mutation ($id: Int!, $content: Base64!) { plainSave(id: $id, content: $content) { id size } }';
  const asked = {
    path: '/graphql',
    type: FORM_TYPE,
    headers: { ...clientFields(site), 'apollo-require-preflight': 'true' },
    body: uploadForm(query, { content }, { id }),
  };
  return [await expect(site, asked, `{"id":${id},"size":${content.length}}`)];
};

const download: Kind = async (site) => {
  const id = site.nextId();
  const fields = clientFields(site);
  const query = `{ plainContent(id: ${id}) @url }`;
  const asked = await expect(site, graphqlOf({ query }, fields), '"plainContent":"');
  const address: string = JSON.parse(asked.text).data.plainContent;
  const path = address.replace(/^https?:\/\/[^/]+/, '');
  const answer = await site.connections.ask({ method: 'GET', path, headers: fields });
  if (answer.status !== 200 || !answer.body.equals(contentOf(id)))
    throw new Deviation(answer, `content of ${id}`);
  return [asked, answer];
};

const signedRead: Kind = async (site) => {
  const id = site.nextId();
  const query = `{ signedRead(id: ${id}) { value } }`;
  return [await expect(site, graphqlOf({ query }, clientFields(site)), `"value of ${id}"`)];
};

const verifiedRead: Kind = async (site) => {
  const id = site.nextId();
  const { message } = signedMessage(site.signer, readOf('verified', id));
  const asked = { ...soapOf('verified', ''), headers: clientFields(site), body: message };
  return [await expect(site, asked, `>value of ${id}<`)];
};

/** A signed message that was changed is refused. */
const alteredRead: Kind = async (site) => {
  const { message } = signedMessage(site.signer, readOf('verified', site.nextId()));
  const body = message.replace(/<id>\d+</, `<id>${site.nextId()}<`);
  const asked = { ...soapOf('verified', ''), headers: clientFields(site), body };
  const answer = await site.connections.ask(asked);
  if (!answer.text.includes('FailedCheck')) throw new Deviation(answer, 'FailedCheck');
  return [answer];
};

const TOKEN_SECONDS = 300;

/** The backend answers with the user whose token it got. */
const ownRead: Kind = async (site) => {
  const id = site.nextId();
  const user = `user-${site.random.below(20)}`;
  const query = `{ tokensOwn(id: ${id}) { id user } }`;
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const fields = await site.issuer.bearer({ sub: user, exp });
  return [await expect(site, graphqlOf({ query }, fields), `{"id":${id},"user":"${user}"}`)];
};

/** Every kind of call, by name, with its weight. */
export const KINDS: readonly (readonly [weight: number, kind: readonly [string, Kind]])[] = [
  [8, ['read, SOAP 1.1', soapRead('plain', '1.1')]],
  [8, ['read, SOAP 1.2', soapRead('plain', '1.2')]],
  [4, ['read, signed, SOAP', soapRead('signed', '1.1')]],
  [4, ['read, signed, GraphQL', signedRead]],
  [4, ['read, verified', verifiedRead]],
  [1, ['altered message', alteredRead]],
  [6, ['coalesced', togetherRead]],
  [5, ['batch with links', batch]],
  [3, ['pages', pages]],
  [6, ['read, REST', restRead('plain')]],
  [6, ['keyed write, SOAP', keyedWrite('SOAP')]],
  [6, ['keyed write, GraphQL', keyedWrite('GraphQL')]],
  [6, ['keyed write, REST', keyedWrite('REST')]],
  [3, ['write, SOAP', write('SOAP')]],
  [3, ['write, GraphQL', write('GraphQL')]],
  [4, ['tool that reads', toolRead]],
  [3, ['confirmed tool', toolWrite]],
  [2, ['upload', upload]],
  [3, ['download', download]],
  [5, ['token of the user', ownRead]],
];
