import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';

import { type StartedGateway, startGateway } from '../../src/library/gateway.js';
import { largeWsdl } from '../bench/wsdl.js';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';

/** A start that takes SOAP requests before it has compiled its GraphQL schema. */

const REPLY = envelope('<t:O1 xmlns:t="urn:t"><t:f1>7</t:f1></t:O1>');

interface Started {
  readonly gateway: StartedGateway;
  readonly url: string;
  /** The messages of its log. */
  readonly messages: readonly unknown[];
}

/** Starts a gateway whose schema an earlier one has compiled. */
async function startAgain(t: Test): Promise<Started> {
  const folder = t.testdir({ 'a.wsdl': largeWsdl(60, 40) });
  const backend = await useBackend(t, answerWith(REPLY));
  const keys = {
    listen: '127.0.0.1:0',
    admin: '127.0.0.1:0',
    compiled: 'kept',
    services: { a: { wsdl: 'a.wsdl', url: backend.url, rest: true } },
  };
  const kept = join(folder, 'kept');
  const isKnown = () =>
    existsSync(kept) && readdirSync(kept).some((name) => name.endsWith('.schema'));
  await (await startGateway(keys, { folder })).close();
  await until(isKnown);
  const messages: unknown[] = [];
  const gateway = await startGateway(keys, {
    folder,
    log: (line) => void messages.push(JSON.parse(line).msg),
  });
  t.teardown(() => gateway.close());
  return { gateway, url: gateway.urls[0] ?? '', messages };
}

const callSoap = (url: string): Promise<Response> =>
  fetch(`${url}/soap/a`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/xml' },
    body: envelope('<t:I1 xmlns:t="urn:t"/>'),
  });

const queryGraphql = async (url: string): Promise<unknown> => {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: 'mutation { op1 { f1 } }' }),
  });
  return answer.json();
};

const FOUND = { data: { op1: { f1: 7 } } };

t.test('all kinds of requests are answered from the first moment', async (t) => {
  const { url, messages } = await startAgain(t);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const opened = once(socket, 'open').then(async () => {
    socket.send('{"type":"connection_init"}');
    const [message] = await once(socket, 'message');
    return String(message);
  });
  const [soap, graphql, description, none] = await Promise.all([
    callSoap(url),
    queryGraphql(url),
    fetch(`${url}/rest/openapi.json`),
    fetch(`${url}/none`),
  ]);
  t.equal(soap.status, 200);
  t.match(await soap.text(), /<t:f1>7</);
  t.match(graphql, FOUND);
  t.notOk(description.status === 503, 'REST is not refused');
  t.equal(none.status, 404);
  t.match(await opened, 'connection_ack');
  socket.terminate();
  t.equal(messages.filter((message) => message === 'GraphQL takes requests').length, 1);
});

t.test('a reload and a stop wait for the schema', async (t) => {
  const reloaded = await startAgain(t);
  const asked = queryGraphql(reloaded.url);
  await reloaded.gateway.reload();
  t.match(await asked, FOUND);
  t.match(await queryGraphql(reloaded.url), FOUND);
  t.equal((await callSoap(reloaded.url)).status, 200);
  const stopped = await startAgain(t);
  const last = queryGraphql(stopped.url);
  // The request has reached the gateway.
  await callSoap(stopped.url);
  await stopped.gateway.close();
  t.match(await last, FOUND);
});

t.test('the address for operators shows the whole once it is there', async (t) => {
  const { gateway, url } = await startAgain(t);
  t.equal((await fetch(`${gateway.adminUrl}/ready`)).status, 200);
  await queryGraphql(url);
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  t.match(metrics, /soapstone_config_generation 1\b|soapstone_/);
});
