import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ConfigurationError } from '../../src/base/diagnostic.js';
import { makeMockServer } from '../../src/cli/mock/mock.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { SOAP_12 } from '../kit/envelope.js';
import { useFolder, useGateway } from '../kit/use.js';
import { HAS_XMLLINT, lint } from '../kit/xmllint.js';
import { FILES } from '../wsdl/written.js';

/** A mock that answers as the backend of a WSDL would. */

const CORPUS = '../shared/corpora/wsdl';

async function useMock(
  t: Test,
  wsdl: string,
  answers: string | null = null,
  root: string | null = null,
): Promise<string> {
  const model = await readWsdl(wsdl, { ...FILES, root });
  const server = makeMockServer(model, answers).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/any`;
}

const FAULT_QUERY = '{ getOrder(id: 1) { __typename } }';
const ORDERS = 'test/real/stacks/php/orders.wsdl';
const envelope = (body: string, uri = 'http://schemas.xmlsoap.org/soap/envelope/'): string =>
  `<E:Envelope xmlns:E="${uri}"><E:Body>${body}</E:Body></E:Envelope>`;

async function post(url: string, body: string, type = 'text/xml'): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  return { status: answer.status, text: await answer.text() };
}

t.test('each operation is answered with an example, in the dialect of the request', async (t) => {
  const model = await readWsdl(ORDERS, FILES);
  const [operation] = model.services.flatMap(({ ports }) => ports.flatMap(({ operations }) => operations));
  const { uri = '', local = '' } = operation?.input.body?.name ?? {};
  const url = await useMock(t, ORDERS);
  const good = await post(url, envelope(`<${local} xmlns="${uri}"/>`));
  t.equal(good.status, 200);
  t.match(good.text, new RegExp(`:${operation?.output?.body?.name.local}[ >]`));
  const later = await post(url, envelope(`<${local} xmlns="${uri}"/>`, SOAP_12), 'application/soap+xml');
  t.match(later.text, `xmlns:e="${SOAP_12}"`);
  t.equal((await post(url, envelope(`<${local} xmlns="${uri}"/>`))).text, good.text, 'always the same');
});

t.test('answers are valid by libxml2', { skip: HAS_XMLLINT ? false : 'xmllint is not installed' }, async (t) => {
  const demo = 'config/demo/legacy.wsdl';
  const wsdl = readFileSync(demo, 'utf8');
  const types = readFileSync('config/demo/legacy.xsd', 'utf8');
  const [own = ''] = /<xs:schema.*?<\/xs:schema>/s.exec(wsdl) ?? [];
  const scope = [...wsdl.matchAll(/ xmlns:(?:t|tns|xs)="[^"]*"/g)].map(([declared]) => declared).join('');
  const schema = own.replace(
    '<xs:schema',
    `<xs:schema${[...new Set(scope.split(' ').filter(Boolean))].map((each) => ` ${each}`).join('')}`,
  );
  const folder = await useFolder(t, { 'legacy.xsd': types });
  const url = await useMock(t, demo);
  const replies: string[] = [];
  const model = await readWsdl(demo, FILES);
  for (const { input, output } of model.services[0]?.ports[0]?.operations ?? []) {
    const { uri = '', local = '' } = input.body?.name ?? {};
    if (output?.body == null) continue;
    const { status, text } = await post(url, envelope(`<${local} xmlns="${uri}"/>`));
    t.equal(status, 200, local);
    const [, declared = ''] = /^<\?xml[^>]*>\s*<[\w:]+((?: xmlns:\w+="[^"]*")*)/.exec(text) ?? [];
    const [, content = ''] = /<(?:\w+:)?Body>(.*)<\/(?:\w+:)?Body>/s.exec(text) ?? [];
    replies.push(content.replace(/^<[\w:]+/, (name) => `${name}${declared}`));
  }
  t.ok(replies.length > 8, `${replies.length} replies`);
  const located = schema.replace('schemaLocation="legacy.xsd"', `schemaLocation="${folder}/legacy.xsd"`);
  t.same(
    lint(located, replies),
    replies.map(() => null),
  );
});

t.test('what is no request of the WSDL gets a Fault', async (t) => {
  const url = await useMock(t, ORDERS);
  t.match(await post(url, envelope('<Other xmlns="urn:x"/>')), { status: 500, text: /Client.*no operation/ });
  t.match(await post(url, envelope('<Other xmlns="urn:x"/>', SOAP_12)), { status: 400, text: /Sender/ });
  t.match(await post(url, '<a/>'), { status: 500, text: /no SOAP envelope/ });
  t.match(await post(url, '<a'), { status: 500, text: /Fault/ });
  t.equal((await fetch(url)).status, 405);
});

t.test('a recorded reply is preferred', async (t) => {
  const model = await readWsdl(ORDERS, FILES);
  const [operation] = model.services.flatMap(({ ports }) => ports.flatMap(({ operations }) => operations));
  const { uri = '', local = '' } = operation?.input.body?.name ?? {};
  const folder = await useFolder(t, { [`${operation?.name}.xml`]: envelope('<recorded/>') });
  const url = await useMock(t, ORDERS, folder);
  t.match((await post(url, envelope(`<${local} xmlns="${uri}"/>`))).text, '<recorded/>');
});

t.test('a recorded Fault has the status of a Fault, and a file that is no envelope goes out as it is', async (t) => {
  const model = await readWsdl(ORDERS, FILES);
  const [first, second] = model.services.flatMap(({ ports }) => ports.flatMap(({ operations }) => operations));
  const fault = '<E:Fault><faultcode>E:Server</faultcode><faultstring>closed</faultstring></E:Fault>';
  const folder = await useFolder(t, { [`${first?.name}.xml`]: envelope(fault), [`${second?.name}.xml`]: '<a' });
  const url = await useMock(t, ORDERS, folder);
  const ask = (operation: typeof first) => {
    const { uri = '', local = '' } = operation?.input.body?.name ?? {};
    return post(url, envelope(`<${local} xmlns="${uri}"/>`));
  };
  t.match(await ask(first), { status: 500, text: /closed/ });
  if (second !== undefined) t.match(await ask(second), { status: 200, text: /^<a$/ });
});

t.test('a request asks for a Fault through the gateway, which finds its detail valid', async (t) => {
  const wsdl = join(process.cwd(), 'config/demo/legacy.wsdl');
  const url = await useMock(t, wsdl);
  const gateway = await useGateway(
    t,
    `services: { s: { wsdl: "${wsdl}", url: "${url}", forwardHeaders: [x-mock-fault] } }\n`,
  );
  const ask = async (fault: string): Promise<unknown> => {
    const answer = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-mock-fault': fault },
      body: JSON.stringify({ query: FAULT_QUERY }),
    });
    return answer.json();
  };
  const declared = { code: 'SOAP_FAULT', soap: { code: 'Server', string: 'OrderFault', detail: {} } };
  t.match(await ask('OrderFault'), { errors: [{ message: 'OrderFault', extensions: declared }] });
  const other = { extensions: { code: 'SOAP_FAULT', soap: { string: 'closed <today>' } } };
  t.match(await ask('closed <today>'), { errors: [other] });
});

t.test(
  'the gateway takes the answers for those of the backend, in each WSDL of the corpus',
  existsSync(CORPUS) ? {} : { skip: `${CORPUS} is not here: it is not part of the repository` },
  async (t) => {
    let asked = 0;
    const failed: string[] = [];
    const files = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wsdl'));
    for (const file of files) {
      const wsdl = join(process.cwd(), CORPUS, file);
      const model = await readWsdl(wsdl, { ...FILES, root: CORPUS }).catch((error: unknown) => {
        if (error instanceof ConfigurationError) return null;
        throw error;
      });
      const ports = model?.services.flatMap((service) => service.ports) ?? [];
      const isFine = ports.some(({ operations }) => operations.some(({ status }) => status !== 'disabled'));
      if (model === null || !isFine) continue;
      const url = await useMock(t, wsdl, null, CORPUS);
      const gateway = await useGateway(
        t,
        `services: { s: { wsdl: "${wsdl}", url: "${url}", port: ${JSON.stringify(ports[0]?.name)}, versions: ["${ports[0]?.dialect}"] } }\n`,
      ).catch(() => null);
      if (gateway === null) continue;
      for (const { name, input, output, soapAction, status, use } of ports[0]?.operations ?? []) {
        if (status !== 'ok' || output === null || input.several !== undefined || use === 'encoded') continue;
        const { uri, local } = input.body?.name ?? { uri: '', local: '' };
        const body = input.body === null ? '' : `<m:${local} xmlns:m="${uri}"/>`;
        const soap = ports[0]?.dialect === '1.2' ? SOAP_12 : undefined;
        const answer = await fetch(`${gateway.url}/soap/s`, {
          method: 'POST',
          headers: {
            'content-type': soap === undefined ? 'text/xml' : 'application/soap+xml',
            ...(soap === undefined ? { soapaction: `"${soapAction ?? ''}"` } : {}),
          },
          body: envelope(body, soap),
        });
        asked++;
        if (answer.status !== 200) failed.push(`${file} ${name}: ${(await answer.text()).slice(0, 200)}`);
        else await answer.arrayBuffer();
      }
    }
    t.comment(`${asked} operations asked`);
    t.ok(asked > 40);
    t.same(failed, []);
  },
);

t.test('the folder of recorded replies is no way to other files', async (t) => {
  const folder = await useFolder(t);
  await mkdir(join(folder, 'answers'));
  await writeFile(join(folder, 'secret.xml'), 'secret');
  const url = await useMock(t, ORDERS, join(folder, 'answers'));
  const answer = await post(url, envelope('<x xmlns="../secret"/>'));
  t.notMatch(answer.text, 'secret');
});
