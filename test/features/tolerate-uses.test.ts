import { createClient } from 'graphql-ws';
import t from 'tap';
import { WebSocket } from 'ws';
import type { RecordingBackend } from '../kit/backend.js';
import { envelope, operationIn } from '../kit/envelope.js';
import { askGraphql } from '../kit/graphql-client.js';
import { ENDPOINTS, startReplyDesk } from '../kit/reply-desk.js';
import { until } from '../kit/until.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/**
 * What is made from a reply that is tolerated: kept answers, logins, health checks, polls, pages,
 * downloads.
 */

const NAMES = '    tolerate: [wrapper, leading-space, trailing-bytes, control-characters]\n';
const NOTE = 'a\ufffdb';

/** Replies in another namespace, with a line before and NUL behind. */
const oldReplies =
  (contents: Readonly<Record<string, string>>): RecordingBackend['answer'] =>
  ({ body }, response) => {
    const name = operationIn(String(body));
    const content = `<o:${name}Response xmlns:o="urn:old">${contents[name]}</o:${name}Response>`;
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(`\n<?xml version="1.0"?>${envelope(content)}\0`);
  };

t.test('the answer that is kept for an idempotency key is the tolerated one', async (t) => {
  const keys =
    `${NAMES}    operations: { GetItem: true, Deactivate: true, Rename: { field: ` +
    'Mutation.rename, idempotency: {} } }\n';
  const desk = await startReplyDesk(t, { keys });
  desk.backend.answer = oldReplies({ Rename: '<o:note>a&#1;b</o:note>' });
  for (const endpoint of ENDPOINTS) {
    if (endpoint === 'mcp') continue;
    const key = { 'idempotency-key': `key-${endpoint}` };
    const before = desk.backend.complete.length;
    const first = await desk.call(endpoint, 'Rename', key);
    const second = await desk.call(endpoint, 'Rename', key);
    t.match(first.text, NOTE, endpoint);
    const shown = (text: string): string =>
      text.replaceAll(/"(?:actualQueryCost|currentlyAvailable)":\d+/g, '');
    t.equal(shown(second.text), shown(first.text), endpoint);
    t.equal(desk.backend.complete.length, before + 1, `${endpoint}: one call`);
  }
});

t.test('a login and a health check read a tolerated reply', async (t) => {
  const keys =
    `${NAMES}    auth: { login: { operation: GetItem, arguments: { id: "7" }, token: ` +
    'reply.name, place: "http:x-token" } }\n' +
    '    health: { operation: GetItem, arguments: { id: "7" }, expect: { reply.name: ' +
    'nail }, everyMillis: 1000 }\n' +
    '    operations: { GetItem: { field: Query.getItem }, Rename: { field: Mutation.rename }, ' +
    'Deactivate: { field: Mutation.deactivate } }\n';
  const desk = await startReplyDesk(t, {
    keys,
    answer: oldReplies({ GetItem: '<name>nail</name>', Rename: '<note>n</note>' }),
  });
  await until(() => desk.backend.complete.length > 1);
  const got = await desk.call('graphql', 'Rename');
  t.match(got.text, '"rename":"n"');
  t.equal(desk.backend.complete.at(-1)?.headers['x-token'], 'nail');
  t.match(await desk.gateway.metrics(), /^soapstone_upstream_address_up\{[^}]*\} 1$/m);
});

const WIDE = wsdlOf(
  'urn:t',
  [
    wrapper('GetItem', element('id', 'xs:int')),
    wrapper('GetItemResponse', element('content', 'xs:base64Binary')),
    wrapper('Rename', element('page', 'xs:int') + element('size', 'xs:int')),
    wrapper(
      'RenameResponse',
      element('row', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"') +
        element('pages', 'xs:int'),
    ),
    wrapper('Deactivate', element('id', 'xs:int')),
    wrapper('DeactivateResponse'),
  ].join(''),
  ['GetItem', 'Deactivate', 'Rename'],
);

t.test('pages and downloads are read from tolerated replies', async (t) => {
  const desk = await startReplyDesk(t, {
    wsdl: WIDE,
    keys: `${NAMES}    operations:
      GetItem: { field: Query.content }
      Deactivate: { field: Mutation.deactivate }
      Rename: { field: Query.rows, pages: { page: page, size: { size: 2 }, items: row, total: \
{ pages: pages } } }\n`,
    more: `graphql: { downloads: { keys: ["${'k'.repeat(32)}"] } }\n`,
    answer: oldReplies({
      GetItem: '<o:content>AAEC</o:content>',
      Rename: '<row>a&#2;</row><row>b</row><pages>1</pages>',
    }),
  });
  const { data, errors } = await askGraphql(
    desk.gateway.url,
    '{ rows { nodes } content(id: 1) @url }',
  );
  t.equal(errors, undefined);
  t.match(data, { rows: { nodes: ['a\ufffd', 'b'] } });
  const url = String(Reflect.get(Object(data), 'content'));
  const got = await fetch(new URL(url, desk.gateway.url));
  t.equal(Buffer.from(await got.arrayBuffer()).toString('base64'), 'AAEC', url);
});

t.test('a poll reads tolerated replies', async (t) => {
  const desk = await startReplyDesk(t, {
    keys: NAMES,
    more: 'subscriptions: { item: { poll: { operation: hr.GetItem, everyMillis: 50 } } }\n',
  });
  let note = 'a&#1;b';
  const answer = oldReplies({
    get GetItem() {
      return `<o:name>${note}</o:name>`;
    },
  });
  desk.backend.answer = answer;
  const client = createClient({
    url: `${desk.gateway.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
  });
  t.teardown(() => client.dispose());
  const events = client.iterate({ query: 'subscription { item(id: 7) { name } }' });
  t.match((await events.next()).value, { data: { item: { name: NOTE } } });
  note = 'c';
  t.match((await events.next()).value, { data: { item: { name: 'c' } } });
  await events.return?.();
  const line = (await desk.gateway.metrics()).split('\n');
  const counted = line.filter((each) => each.startsWith('soapstone_tolerated_total'));
  t.ok(
    counted.some((each) => each.includes('deviation="wrapper"')),
    counted.join('\n'),
  );
});
