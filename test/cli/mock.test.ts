import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { MIB } from '../../src/core/limit.js';
import type { Operation } from '../../src/wsdl/model.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { envelope, postSoap, SOAP_11, SOAP_12 } from '../kit/envelope.js';
import { askGraphql } from '../kit/graphql-client.js';
import { RawClient } from '../kit/raw-client.js';
import { useFolder, useGateway } from '../kit/use.js';
import { HAS_XMLLINT, lint } from '../kit/xmllint.js';
import { corpusModels, WITH_CORPUS } from '../wsdl/corpus-models.js';
import { FILES, modelOf, operationsIn, schemaWith, wsdlWith } from '../wsdl/written.js';
import { useMock } from './use-mock.js';

/** A mock that answers as the backend of a WSDL would. */

const FAULT_QUERY = '{ getOrder(id: 1) { __typename } }';
const ORDERS = await readWsdl('test/real/stacks/php/orders.wsdl', FILES);
const [FIRST, SECOND] = operationsIn(ORDERS);

/** The empty request of an operation. */
const requestOf = (operation: Operation | undefined, uri = SOAP_11): string => {
  const { uri: namespace = '', local = '' } = operation?.input.body?.name ?? {};
  return envelope(`<${local} xmlns="${namespace}"/>`, '', uri);
};

async function post(url: string, message: string): Promise<{ status: number; text: string }> {
  const answer = await postSoap(`${url}any`, message);
  return { status: answer.status, text: await answer.text() };
}

t.test('each operation is answered with an example, in the dialect of the request', async (t) => {
  const url = await useMock(t, ORDERS);
  const good = await post(url, requestOf(FIRST));
  t.equal(good.status, 200);
  t.match(good.text, new RegExp(`:${FIRST?.output?.body?.name.local}[ >]`));
  const later = await post(url, requestOf(FIRST, SOAP_12));
  t.match(later.text, `xmlns:e="${SOAP_12}"`);
  t.equal((await post(url, requestOf(FIRST))).text, good.text, 'always the same');
});

t.test(
  'answers are valid by libxml2',
  { skip: HAS_XMLLINT ? false : 'xmllint is not installed' },
  async (t) => {
    const demo = 'config/demo/legacy.wsdl';
    const wsdl = readFileSync(demo, 'utf8');
    const types = readFileSync('config/demo/legacy.xsd', 'utf8');
    const [own = ''] = /<xs:schema.*?<\/xs:schema>/s.exec(wsdl) ?? [];
    const scope = [...wsdl.matchAll(/ xmlns:(?:t|tns|xs)="[^"]*"/g)]
      .map(([declared]) => declared)
      .join('');
    const schema = own.replace(
      '<xs:schema',
      `<xs:schema${[...new Set(scope.split(' ').filter(Boolean))].map((each) => ` ${each}`).join('')}`,
    );
    const folder = await useFolder(t, { 'legacy.xsd': types });
    const replies: string[] = [];
    const model = await readWsdl(demo, FILES);
    const url = await useMock(t, model);
    for (const operation of model.services[0]?.ports[0]?.operations ?? []) {
      if (operation.output?.body == null) continue;
      const { status, text } = await post(url, requestOf(operation));
      t.equal(status, 200, operation.name);
      const [, declared = ''] = /^<\?xml[^>]*>\s*<[\w:]+((?: xmlns:\w+="[^"]*")*)/.exec(text) ?? [];
      const [, content = ''] = /<(?:\w+:)?Body>(.*)<\/(?:\w+:)?Body>/s.exec(text) ?? [];
      replies.push(content.replace(/^<[\w:]+/, (name) => `${name}${declared}`));
    }
    t.ok(replies.length > 8, `${replies.length} replies`);
    const located = schema.replace(
      'schemaLocation="legacy.xsd"',
      `schemaLocation="${folder}/legacy.xsd"`,
    );
    t.same(
      lint(located, replies),
      replies.map(() => null),
    );
  },
);

t.test('what is no request of the WSDL gets a Fault', async (t) => {
  const url = await useMock(t, ORDERS);
  t.match(await post(url, envelope('<Other xmlns="urn:x"/>')), {
    status: 500,
    text: /Client.*no operation/,
  });
  t.match(await post(url, envelope('<Other xmlns="urn:x"/>', '', SOAP_12)), {
    status: 400,
    text: /Sender/,
  });
  t.match(await post(url, '<a/>'), { status: 500, text: /no SOAP envelope/ });
  t.match(await post(url, '<a'), { status: 500, text: /Fault/ });
  t.equal((await fetch(url)).status, 405);
});

t.test(
  'operations with one element are distinguished by the action, as each dialect sends it',
  async (t) => {
    const operations = (['One', 'Two'] as const).map((name) => ({
      portType:
        `<operation name="${name}"><input message="t:In"/>` +
        `<output message="t:${name}"/></operation>`,
      binding:
        `<operation name="${name}"><soap:operation soapAction="urn:${name}"/><input>` +
        '<soap:body use="literal"/></input><output>' +
        '<soap:body use="literal"/></output></operation>',
    }));
    const url = await useMock(
      t,
      await modelOf(
        wsdlWith({
          types: schemaWith(
            '<xs:element name="One" type="xs:string"/><xs:element name="Two" type="xs:int"/>',
          ),
          messages: `<message name="In"><part name="p" element="t:Get"/></message>${['One', 'Two']
            .map((name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>`)
            .join('')}`,
          portType:
            '<portType name="P">' +
            `${operations.map((each) => each.portType).join('')}</portType>`,
          binding:
            '<binding name="B" type="t:P"><soap:binding style="document" ' +
            'transport="http://schemas.xmlsoap.org/soap/http"/>' +
            `${operations.map((each) => each.binding).join('')}</binding>`,
        }),
      ),
    );
    const ask = async (uri: string, headers: Readonly<Record<string, string>>): Promise<string> => {
      const body = envelope('<Get xmlns="urn:t"/>', '', uri);
      return (await fetch(url, { method: 'POST', headers, body })).text();
    };
    for (const name of ['One', 'Two']) {
      const later = `application/soap+xml; charset=utf-8; action="urn:${name}"`;
      t.match(
        await ask(SOAP_11, { 'content-type': 'text/xml', soapaction: `"urn:${name}"` }),
        `:${name}>`,
        name,
      );
      t.match(await ask(SOAP_12, { 'content-type': later }), `:${name}>`, `${name}, SOAP 1.2`);
    }
    t.match(
      await ask(SOAP_11, { 'content-type': 'text/xml', soapaction: '"a"b"' }),
      'Fault',
      'an action of two readings',
    );
  },
);

t.test('a recorded reply is preferred', async (t) => {
  const folder = await useFolder(t, { [`${FIRST?.name}.xml`]: envelope('<recorded/>') });
  const url = await useMock(t, ORDERS, folder);
  t.match((await post(url, requestOf(FIRST))).text, '<recorded/>');
});

t.test(
  'a recorded Fault has the status of a Fault, and a file that is no envelope goes out as it is',
  async (t) => {
    const fault =
      '<s:Fault><faultcode>s:Server</faultcode><faultstring>closed</faultstring></s:Fault>';
    const folder = await useFolder(t, {
      [`${FIRST?.name}.xml`]: envelope(fault),
      [`${SECOND?.name}.xml`]: '<a',
    });
    const url = await useMock(t, ORDERS, folder);
    t.match(await post(url, requestOf(FIRST)), { status: 500, text: /closed/ });
    t.match(await post(url, requestOf(SECOND)), { status: 200, text: /^<a$/ });
  },
);

t.test(
  'a request asks for a Fault through the gateway, which finds its detail valid',
  async (t) => {
    const wsdl = join(process.cwd(), 'config/demo/legacy.wsdl');
    const url = await useMock(t, await readWsdl(wsdl, FILES));
    const gateway = await useGateway(
      t,
      `services: { s: { wsdl: "${wsdl}", url: "${url}", forwardHeaders: [x-mock-fault] } }\n`,
    );
    const ask = (fault: string): Promise<object> =>
      askGraphql(gateway.url, FAULT_QUERY, {}, { 'x-mock-fault': fault });
    const declared = {
      code: 'SOAP_FAULT',
      soap: { code: 'Server', string: 'OrderFault', detail: {} },
    };
    t.match(await ask('OrderFault'), { errors: [{ message: 'OrderFault', extensions: declared }] });
    const other = { extensions: { code: 'SOAP_FAULT', soap: { string: 'closed <today>' } } };
    t.match(await ask('closed <today>'), { errors: [other] });
  },
);

t.test(
  'the gateway takes the answers for those of the backend, in each WSDL of the corpus',
  WITH_CORPUS,
  async (t) => {
    let asked = 0;
    const failed: string[] = [];
    for await (const { file, model } of corpusModels()) {
      const ports = model.services.flatMap((service) => service.ports);
      if (operationsIn(model).every(({ status }) => status === 'disabled')) continue;
      const url = await useMock(t, model);
      const gateway = await useGateway(
        t,
        `services: { s: { wsdl: "${resolve(file)}", url: "${url}", port: ` +
          `${JSON.stringify(ports[0]?.name)}, versions: ["${ports[0]?.dialect}"] } }\n`,
      ).catch(() => null);
      if (gateway === null) continue;
      for (const { name, input, output, soapAction, status, use } of ports[0]?.operations ?? []) {
        if (status !== 'ok' || output === null || input.several !== undefined || use === 'encoded')
          continue;
        const { uri, local } = input.body?.name ?? { uri: '', local: '' };
        const body = input.body === null ? '' : `<m:${local} xmlns:m="${uri}"/>`;
        const isLater = ports[0]?.dialect === '1.2';
        const answer = await postSoap(
          `${gateway.url}/soap/s`,
          envelope(body, '', isLater ? SOAP_12 : SOAP_11),
          isLater ? {} : { soapaction: `"${soapAction ?? ''}"` },
        );
        asked++;
        if (answer.status !== 200)
          failed.push(`${file} ${name}: ${(await answer.text()).slice(0, 200)}`);
        else await answer.arrayBuffer();
      }
    }
    t.comment(`${asked} operations asked`);
    t.ok(asked > 40);
    t.same(failed, []);
  },
);

t.test('a message that is too long is answered before it is all there', async (t) => {
  const client = await RawClient.connect(await useMock(t, ORDERS));
  await client.send(
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\nContent-Length: 99000000\r\n\r\n',
  );
  const sending = client.send(' '.repeat(10 * MIB + 1));
  t.equal((await client.reply()).status, 413);
  client.close();
  await sending;
});

t.test('the folder of recorded replies is no way to other files', async (t) => {
  const folder = await useFolder(t, { 'secret.xml': 'secret', 'answers/Other.xml': '' });
  const url = await useMock(t, ORDERS, join(folder, 'answers'));
  const answer = await post(url, envelope('<x xmlns="../secret"/>'));
  t.notMatch(answer.text, 'secret');
});
