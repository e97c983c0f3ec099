import type { ServerResponse } from 'node:http';
import { SaxesParser } from 'saxes';
import type { Test } from 'tap';

import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { post, type RawReply, sendRaw } from '../kit/raw-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import type { Result, Shop } from './graphql-kit.js';

/** A gateway before a backend that gives back what it was given. */
export async function startBridge(t: Test, more = ''): Promise<Shop> {
  const backend = await useBackend(t, echo);
  const gateway = await useGateway(
    t,
    `services:\n  bridge:\n    wsdl: ${process.cwd()}/test/catalogue/fixtures/bridge.wsdl\n` +
      `    url: ${backend.url}/bridge\n    operations: { Echo: { field: Query.echo }, Open: ` +
      `{ field: Query.open } }\n${more}`,
  );
  return { backend, gateway };
}

function echo(message: RecordedMessage, response: ServerResponse): void {
  const body = message.body
    .toString()
    .replace(/<(\w+:)?Header>.*<\/\1?Header>/s, '')
    .replace(/<(\/?(?:\w+:)?(?:Echo|Open))(?=[\s>/])/g, '<$1Response');
  answerWith(body)(message, response);
}

export interface Echoed {
  readonly raw: RawReply;
  readonly result: Result;
  /** Elements of the envelope that the backend got; 0 where it got none. */
  readonly elements: number;
}

const SELECTION =
  'text texts token marked{value mark} colour number big integer decimal double flag date ' +
  'dateTime duration base64 hex uri name part{__typename sku ...on Engine{power}} ' +
  'proto{_proto constructor}';

/** Sends values over the bridge, as a variable. */
export async function send(
  shop: Shop,
  values: unknown,
  { selection = SELECTION, headers = {}, blocks = null as unknown } = {},
): Promise<Echoed> {
  const query = `query($v:ValuesInput! $h:EchoHeadersInput){echo(values:$v headers:$h){${selection}}}`;
  return sendQuery(
    shop,
    { query, variables: { v: values, ...(blocks === null ? {} : { h: blocks }) } },
    headers,
  );
}

export async function sendQuery(
  { backend, gateway }: Shop,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Echoed> {
  const before = backend.complete.length;
  const raw = await sendRaw(
    gateway.url,
    post('/graphql', 'application/json', JSON.stringify(body), headers),
  );
  const sent = backend.complete[before];
  // A refusal of HTTP has a sentence.
  const isJson = raw.headers.get('content-type')?.startsWith('application/') === true;
  const result: Result = isJson ? JSON.parse(raw.body) : {};
  return { raw, result, elements: sent === undefined ? 0 : countElements(sent.body.toString()) };
}

/** By a reader that is not ours. Throws for what is not well-formed. */
function countElements(xml: string): number {
  const parser = new SaxesParser({ xmlns: true });
  let count = 0;
  parser.on('opentag', () => {
    count++;
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
  return count;
}
