import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { envelope, postSoap } from '../../kit/envelope.js';
import {
  areAnswering,
  childrenOf,
  type GatewayProcess,
  MAIN,
  startProcess,
  terminate,
} from '../../kit/gateway-process.js';
import { postGraphql } from '../../kit/graphql-client.js';
import { listen } from '../../kit/listen.js';
import { until } from '../../kit/until.js';
import { wsdlWith } from '../../wsdl/written.js';

/** A gateway that takes the safe changes of the WSDLs of its backends. */

const LANG = '<xs:element name="lang" type="xs:string" minOccurs="0"/></xs:sequence>';
const ID = 'name="id" type="xs:int"/>';
const FIRST = wsdlWith({});
/** A caller of `FIRST` goes on: one more argument, which may be left out. */
const WIDER = FIRST.replace(`${ID}</xs:sequence>`, `${ID}${LANG}`);
const BREAKING = FIRST.replace('"xs:string"/>', '"xs:int"/>');

const REPLY = envelope('<GetResponse xmlns="urn:t">here</GetResponse>');
const CALL = envelope('<Get xmlns="urn:t"><id>1</id></Get>');

const run = promisify(execFile);

async function startBackend(t: Test) {
  const show = new Map<string, () => string | null>();
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      request
        .resume()
        .once('end', () => response.writeHead(200, { 'content-type': 'text/xml' }).end(REPLY));
      return;
    }
    const text = show.get(new URL(request.url ?? '', 'http://a/').pathname)?.() ?? null;
    if (text === null) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'text/xml' }).end(text);
  });
  return {
    url: (await listen(t, server)).url,
    /** By path: the document of each look; null: status 503. */
    show,
  };
}

const TAKEN = 'the WSDL of the backend is in use';

const driftOf = (url: string, more = ''): string =>
  `drift: { url: "${url}?wsdl", everyMillis: 1000, apply: safe${more === '' ? '' : `, ${more}`} }`;

const servedBy = async ({ url }: GatewayProcess): Promise<string> =>
  (await fetch(`${url}/soap/a?wsdl`)).text();

async function query({ url }: GatewayProcess, text: string): Promise<unknown> {
  return (await postGraphql(url, { query: text })).json();
}

async function soap({ url }: GatewayProcess): Promise<number> {
  const response = await postSoap(`${url}/soap/a`, CALL, { soapaction: '"urn:get"' });
  await response.arrayBuffer();
  return response.status;
}

const metricsOf = async ({ adminUrl }: GatewayProcess): Promise<string> =>
  (await fetch(`${adminUrl}/metrics`)).text();

t.test('safe changes are taken without a failed call, and are there after a restart', async (t) => {
  const backend = await startBackend(t);
  const folder = t.testdir({ 'a.wsdl': FIRST });
  backend.show.set('/a', () => FIRST);
  const url = `${backend.url}/a`;
  const yaml =
    `reload: { watch: false }\nservices: { a: { wsdl: "${folder}/a.wsdl", url: ` +
    `"${url}", ${driftOf(url, `folder: "${folder}/taken"`)} } }\n`;
  const gateway = await startProcess(t, yaml);
  let calls = 0;
  const failed: unknown[] = [];
  let isOver = false;
  const traffic = (async () => {
    while (!isOver) {
      const [status, answer] = await Promise.all([soap(gateway), query(gateway, '{ get(id: 1) }')]);
      calls += 2;
      if (status !== 200) failed.push(status);
      if (!JSON.stringify(answer).startsWith('{"data":{"get":"here"}')) failed.push(answer);
    }
  })();
  await writeFile(
    gateway.file,
    (await readFile(gateway.file, 'utf8')).replace('a: {', 'edited: {'),
  );
  backend.show.set('/a', () => WIDER);
  const line = await gateway.line(TAKEN);
  const before = calls;
  await until(() => calls >= before + 10);
  isOver = true;
  await traffic;
  t.same(failed, [], `${calls} calls`);
  t.match(line, {
    service: 'a',
    file: join(folder, 'taken', 'a.taken'),
    changes: [/^safe: Get request/],
  });
  t.match(await gateway.line('configuration reloaded'), {
    generation: 2,
    cause: 'changed WSDL of a backend',
  });
  t.match(await query(gateway, '{ get(id: 1, lang: "en") }'), { data: { get: 'here' } });
  t.match(await servedBy(gateway), 'name="lang"');
  t.equal(await readFile(join(folder, 'a.wsdl'), 'utf8'), FIRST, 'the file of the operator stays');
  t.match(await metricsOf(gateway), /^soapstone_wsdl_taken_timestamp_seconds\{service="a"\} \d+/m);
  t.match(await metricsOf(gateway), 'soapstone_generation 2');
  await terminate(gateway.child);

  backend.show.delete('/a');
  const again = await startProcess(t, yaml);
  t.match(await servedBy(again), 'name="lang"', 'also without the backend');
  await writeFile(join(folder, 'a.wsdl'), `${FIRST}<!-- edited -->`);
  t.equal((await fetch(`${again.adminUrl}/reload`, { method: 'POST' })).status, 200);
  t.notMatch(await servedBy(again), 'name="lang"', 'the file counts when it changes');
  t.match(await again.line('configuration warning'), {
    note: /taken from the backend is not used.*has changed/,
  });
  await terminate(again.child);
  await writeFile(join(folder, 'taken', 'a.taken'), 'broken');
  const { stdout } = await run(process.execPath, [MAIN, 'check', '-c', again.file]);
  t.match(stdout, /not used: its file is broken/);
  await rm(join(folder, 'taken'), { recursive: true });
});

t.test('all workers take the same documents, and so does one that starts later', async (t) => {
  const backend = await startBackend(t);
  const folder = t.testdir({ 'a.wsdl': FIRST });
  const url = `${backend.url}/a`;
  let looks = 0;
  // The documents differ each time, as those with the time in them do.
  backend.show.set('/a', () => `${WIDER}<!-- ${++looks} -->`);
  const gateway = await startProcess(
    t,
    `workers: 2\nservices: { a: { wsdl: "${folder}/a.wsdl", url: "${url}", ${driftOf(url)} } }\n`,
  );
  t.match(await gateway.line(TAKEN), { level: 'warn', service: 'a', remedy: /drift\.folder/ });
  const texts = new Set<string>();
  for (let n = 0; n < 20; n++) texts.add(await servedBy(gateway));
  t.equal(texts.size, 1, 'one document of all workers');
  t.match([...texts][0], 'name="lang"');
  t.equal(await gateway.metric('soapstone_generation'), 2);

  const pids = childrenOf(gateway.child);
  t.equal(pids.length, 2);
  for (const [at, pid] of pids.entries()) {
    process.kill(pid, 'SIGKILL');
    await until(() => gateway.lines.filter(({ msg }) => msg === 'a worker ended').length > at);
    await areAnswering(gateway, 2);
  }
  for (let n = 0; n < 20; n++) texts.add(await servedBy(gateway));
  t.equal(texts.size, 1, 'and of those that took their place');
});

t.test('other changes are reported, and nothing else is taken', async (t) => {
  const backend = await startBackend(t);
  const folder = t.testdir({ 'names.wsdl': FIRST.replaceAll('Get', 'Find') });
  const importing = WIDER.replace(
    '<xs:element name="Get">',
    '<xs:import namespace="urn:other" schemaLocation="other.xsd"/><xs:element name="Get">',
  );
  const find = (wsdl: string): string =>
    wsdl
      .replace('</xs:schema>', '<xs:element name="Find" type="xs:string"/></xs:schema>')
      .replace(
        '<portType',
        '<message name="FindIn"><part name="p" element="t:Find"/></message><portType',
      )
      .replace(
        '</portType>',
        '<operation name="Find"><input message="t:FindIn"/><output message="t:Out"/>' +
          '</operation></portType>',
      )
      .replace(
        '</binding>',
        '<operation name="Find"><soap:operation soapAction="urn:find"/><input>' +
          '<soap:body use="literal"/></input><output><soap:body use="literal"/></output>' +
          '</operation></binding>',
      );
  let flaps = 0;
  let looks = 0;
  let grown = '';
  const shown: Record<string, () => string | null> = {
    breaking: () => BREAKING,
    broken: () => '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><types>',
    partial: () => importing,
    flapping: () => (flaps++ % 2 === 0 ? FIRST : WIDER),
    growing() {
      grown += `<xs:element name="n${grown.length}" type="xs:string" minOccurs="0"/>`;
      return FIRST.replace(`${ID}</xs:sequence>`, `${ID}${grown}</xs:sequence>`);
    },
    // Changes that are refused are not tried again, though the document is another one each time.
    colliding: () => `${find(FIRST)}<!-- ${++looks} -->`,
  };
  for (const [name, show] of Object.entries(shown)) backend.show.set(`/${name}`, show);
  const more: Record<string, string> = { growing: 'looks: 1, reloadsPerHour: 1' };
  const services = Object.keys(shown).map((name) => {
    const url = `${backend.url}/${name}`;
    // A service that names no field offers new operations too.
    const fields = name === 'colliding' ? '' : `operations: { Get: { field: Query.${name} } }, `;
    return (
      `  ${name}: { wsdl: "${folder}/${name}.wsdl", url: ` +
      `"${url}", ${fields}${driftOf(url, more[name])} }`
    );
  });
  await Promise.all(
    Object.keys(shown).map((name) => writeFile(join(folder, `${name}.wsdl`), FIRST)),
  );
  const names = `  names: { wsdl: "${folder}/names.wsdl", url: "${backend.url}/names" }`;
  const gateway = await startProcess(t, `services:\n${[...services, names].join('\n')}\n`);
  t.match(await gateway.line(TAKEN), { service: 'growing' });
  t.match(
    await gateway.line(
      ({ msg, service }) => service === 'growing' && msg === 'safe changes of a WSDL are not taken',
    ),
    { limit: 1 },
  );
  const refused = await gateway.line('the new configuration was refused: the one before stays');
  t.match(refused, { problems: [/callers would miss: Query\.find/] });
  const looksAtRefusal = looks;
  await until(() => looks >= looksAtRefusal + 4);
  t.equal(
    gateway.lines.filter(
      ({ msg }) => msg === 'the new configuration was refused: the one before stays',
    ).length,
    1,
  );
  for (const name of ['breaking', 'broken', 'partial', 'flapping']) {
    await until(async () =>
      new RegExp(`looks_total\\{service="${name}".*\\} [3-9]`).test(await metricsOf(gateway)),
    );
  }
  t.equal(await gateway.metric('soapstone_generation'), 2);
  t.same(
    gateway.lines.filter(({ msg }) => msg === TAKEN).map(({ service }) => service),
    ['growing'],
  );
});

t.test('services of one WSDL take changes of it alike', async (t) => {
  const folder = t.testdir({
    'a.wsdl': FIRST,
    'soapstone.yaml': `services:
  a: { wsdl: a.wsdl, url: "http://127.0.0.1:1/a", ${driftOf('http://127.0.0.1:1/a')} }
  b: { wsdl: a.wsdl, url: "http://127.0.0.1:1/b" }
`,
  });
  const checking = run(process.execPath, [MAIN, 'check', '-c', join(folder, 'soapstone.yaml')]);
  const { code, stdout, stderr } = await checking.then(
    () => t.fail('must be refused'),
    (error) => error,
  );
  t.equal(code, 2);
  t.match(stdout + stderr, /`a` has the same `wsdl`, and takes changes of it otherwise/);
});
