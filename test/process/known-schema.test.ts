import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';

import { compile, compileFirst } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { ConfigurationError, inputFiles } from '../../src/core/index.js';
import { type StartedGateway, startGateway } from '../../src/library/gateway.js';
import { Log } from '../../src/observe/log/log.js';
import { lineTaker } from '../../src/observe/log/log-target.js';
import { FileWatch } from '../../src/process/reload/file-watch.js';
import { WsdlTakeover } from '../../src/process/reload/wsdl-takeover.js';
import { runGateway } from '../../src/process/running.js';
import { largeWsdl } from '../bench/wsdl.js';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder } from '../kit/use.js';

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
  const folder = await useFolder(t, { 'a.wsdl': largeWsdl(60, 40) });
  const backend = await useBackend(t, answerWith(REPLY));
  const keys = {
    listen: '127.0.0.1:0',
    admin: '127.0.0.1:0',
    compiled: 'kept',
    services: { a: { wsdl: 'a.wsdl', url: backend.url, rest: true } },
  };
  await (await startGateway(keys, { folder })).close();
  await until(() => isKnown(folder));
  const messages: unknown[] = [];
  const gateway = await startGateway(keys, {
    folder,
    log: (line) => void messages.push(JSON.parse(line).msg),
  });
  t.teardown(() => gateway.close());
  return { gateway, url: gateway.urls[0] ?? '', messages };
}

/** Whether the folder remembers a schema. */
function isKnown(folder: string): boolean {
  const kept = join(folder, 'kept');
  return existsSync(kept) && readdirSync(kept).some((name) => name.endsWith('.schema'));
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

/** The operation that the configuration maps; it is in the first of these WSDLs only. */
const MAPPED = 'Op1';
const WSDL = largeWsdl(60, 40);
const OTHER_WSDL = largeWsdl(60, 1);

/** A configuration whose schema an earlier compilation has found to have no errors. */
async function useKnownSchema(
  t: Test,
): Promise<{ readonly folder: string; readonly file: string }> {
  const backend = await useBackend(t, answerWith(REPLY));
  const text =
    'listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\ncompiled: kept\nreload: { watch: false }\n' +
    `services: { a: { wsdl: a.wsdl, url: "${backend.url}", rest: true, ` +
    `operations: { ${MAPPED}: { field: Mutation.op1 } } } }\n`;
  const folder = await useFolder(t, { 'a.wsdl': WSDL, 'soapstone.yaml': text });
  const file = join(folder, 'soapstone.yaml');
  await (await compile(await loadConfig(file, {}))).close();
  t.ok(isKnown(folder));
  return { folder, file };
}

/** Runs a gateway whose WSDL changes once SOAP is compiled, and before its schema is. */
async function runChanged(t: Test) {
  const { folder, file } = await useKnownSchema(t);
  const events: Readonly<Record<string, unknown>>[] = [];
  const log = new Log(
    'info',
    lineTaker((line) => void events.push(JSON.parse(line))),
  );
  const snapshot = inputFiles.emptySnapshot();
  const running = await runGateway(
    1,
    {
      loaded: await loadConfig(file, {}, {}, inputFiles.recordInputs(snapshot)),
      snapshot,
      load: (inputs) => loadConfig(file, {}, {}, inputs),
      watch: new FileWatch(),
      takeover: new WsdlTakeover(log, (work) => work()),
      reloading: (work) => work(),
      open: () => writeFileSync(join(folder, 'a.wsdl'), OTHER_WSDL),
    },
    log,
  );
  t.teardown(() => running.group.stop(0));
  const [url = ''] = await running.group.ready;
  return { folder, running, url, events };
}

const REFUSED = { errors: [{ extensions: { code: 'SCHEMA_UNAVAILABLE' } }] };

t.test('a known schema that cannot be compiled refuses what is not SOAP', async (t) => {
  const { folder, running, url, events } = await runChanged(t);
  const ready = () => fetch(`${running.group.adminUrl}/ready`);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
  // Some of these come before it is known, and wait.
  t.match(await queryGraphql(url), REFUSED);
  await closed;
  t.equal(await running.group.broken, 1, 'the process is to end');
  const answer = await fetch(`${url}/graphql?query={__typename}`);
  t.equal(answer.status, 503);
  t.equal(answer.headers.get('retry-after'), '1');
  t.match(await answer.json(), REFUSED);
  t.equal((await fetch(`${url}/rest/openapi.json`)).status, 503);
  const late = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const [error] = await once(late, 'error');
  t.match(String(error), /503/);
  t.equal((await callSoap(url)).status, 200, 'SOAP is answered');
  t.equal((await ready()).status, 503);
  t.equal((await fetch(`${running.group.adminUrl}/live`)).status, 200);
  const reported = events.filter(({ msg }) => msg === 'the GraphQL schema cannot be compiled');
  t.match(reported, [{ level: 'error', problems: [new RegExp(`no operation.*${MAPPED}`, 'i')] }]);

  writeFileSync(join(folder, 'a.wsdl'), WSDL);
  t.strictSame((await running.reloader.request('reload()')).problems, []);
  t.match(await queryGraphql(url), FOUND, 'a reload brings it');
  t.equal((await ready()).status, 200);
  t.equal((await callSoap(url)).status, 200);
});

t.test('a process whose known schema cannot be compiled drains and ends with 1', async (t) => {
  const { folder, file } = await useKnownSchema(t);
  const code = `
    import { writeFileSync } from 'node:fs';
    import { start } from ${JSON.stringify(new URL('../../src/process/start.js', import.meta.url))};
    const change = () => {
      writeFileSync(${JSON.stringify(join(folder, 'a.wsdl'))}, ${JSON.stringify(OTHER_WSDL)});
      return () => null;
    };
    const terminal = { out: () => {}, error: console.error };
    process.exitCode = await start(${JSON.stringify(file)}, {}, terminal, change);
  `;
  const ended = await new Promise<{ readonly code: unknown; readonly log: string }>((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', code], (error, log) =>
      resolve({ code: error?.code, log }),
    );
  });
  t.equal(ended.code, 1);
  t.match(ended.log, 'the GraphQL schema cannot be compiled');
  t.match(ended.log, '"msg":"stopped"', 'it has drained');
  await t.rejects(compileFirst(await loadConfig(file, {})), ConfigurationError, 'the next start');
});
