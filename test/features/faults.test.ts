import { resolve } from 'node:path';
import t, { type Test } from 'tap';

import { answerWith } from '../kit/backend.js';
import { MEDIA, SOAP, type Version } from '../kit/envelope.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

const envelope = (content: string, version: Version): string =>
  `<E:Envelope xmlns:E="${SOAP[version]}" xmlns:d="http://legacy.example.com/desk"><E:Body>` +
  `${content}</E:Body></E:Envelope>`;

const FAULT =
  '<d:OrderFault><d:code>404</d:code><d:field>id</d:field><d:reason>No &lt;such&gt; ' +
  'order</d:reason></d:OrderFault>';

const faultWith = (detail: string, version: Version): string =>
  version === '1.1'
    ? '<E:Fault><faultcode>E:Server</faultcode><faultstring>no</faultstring><detail>' +
      `${detail}</detail></E:Fault>`
    : '<E:Fault><E:Code><E:Value>E:Sender</E:Value><E:Subcode><E:Value>d:Gone</E:Value>' +
      '<E:Subcode><E:Value>d:Sold</E:Value>' +
      '</E:Subcode></E:Subcode></E:Code><E:Reason><E:Text xml:lang="en">no</E:Text>' +
      '<E:Text xml:lang="de">nein</E:Text></E:Reason>' +
      `<E:Node>urn:n</E:Node><E:Role>urn:r</E:Role><E:Detail>${detail}</E:Detail></E:Fault>`;

const OPERATIONS = `
      GetOrder: { field: Query.order, faults: union }
      CancelOrder: { field: Mutation.cancelOrder, faults: union }
      GetInventory: { field: Query.inventory, faults: union }
      PlaceOrder: { field: Mutation.placeOrder }
      ListOrders: { field: Query.orders }
`;

const DEMO = { wsdl: resolve('config/demo/legacy.wsdl'), operations: OPERATIONS, more: '' };

async function startDesk(t: Test, version: Version = '1.1', about: Partial<typeof DEMO> = {}) {
  const { wsdl, operations, more } = { ...DEMO, ...about };
  const folder = await useFolder(t, wsdl.startsWith('/') ? {} : { 'a.wsdl': wsdl });
  const service = await useService(
    t,
    answerWith(''),
    (url) => `services:
  desk:
    wsdl: ${wsdl.startsWith('/') ? wsdl : 'a.wsdl'}
    url: ${url}/desk
    versions: ["${version}"]
    operations: ${operations}
${more}`,
    folder,
  );
  return {
    ...service,
    answer(content: string, status = 200): void {
      service.backend.answer = answerWith(envelope(content, version), MEDIA[version], status);
    },
    /** Answers a Fault with this detail. */
    answerFault(detail: string, status = 500): void {
      this.answer(faultWith(detail, version), status);
    },
  };
}

const QUERY =
  '{ order(id: 1) { __typename ... on GetOrderOutcome { t: __typename } ... ' +
  'on Order { id lines { sku } } ... on OrderFault { code why: reason } } }';

for (const version of ['1.1', '1.2'] as const) {
  t.test(
    `a declared Fault is data where the mapping says so, whatever the status (${version})`,
    async (t) => {
      const desk = await startDesk(t, version);
      const { gateway, ask } = desk;
      for (const [index, status] of [500, 200, 400].entries()) {
        desk.answerFault(FAULT, status);
        t.same(await ask(QUERY), {
          data: {
            order: { __typename: 'OrderFault', t: 'OrderFault', code: 404, why: 'No <such> order' },
          },
        });
        t.match(await gateway.accessLine(index + 1), { outcome: 'ok', upstreamCalls: 1 });
      }
      desk.answer(
        '<d:GetOrderResponse xmlns:y="http://legacy.example.com/desk/types"><d:order>' +
          '<y:id>7</y:id></d:order></d:GetOrderResponse>',
      );
      t.match(await ask('{ order(id: 1) { __typename ... on Order { id } } }'), {
        data: { order: { __typename: 'Order', id: '7' } },
      });
    },
  );

  t.test(
    `a Fault that is not declared, or is not what its type says, is an error (${version})`,
    async (t) => {
      const desk = await startDesk(t, version);
      const { ask } = desk;
      desk.answerFault('<d:Other>x</d:Other>');
      t.match(await ask(QUERY), {
        data: { order: null },
        errors: [{ path: ['order'], extensions: { code: 'SOAP_FAULT' } }],
      });
      desk.answerFault('<d:OrderFault>x</d:OrderFault>');
      t.match(await ask(QUERY), {
        data: { order: null },
        errors: [{ extensions: { code: 'SOAP_FAULT', soap: { detail: { OrderFault: 'x' } } } }],
      });
      desk.answer('<d:ResetDeskResponse/>');
      t.match(await ask(QUERY), {
        data: { order: null },
        errors: [{ extensions: { code: 'UPSTREAM_DESYNC' } }],
      });
    },
  );

  t.test(`as an error a Fault tells its detail by its type (${version})`, async (t) => {
    const desk = await startDesk(t, version);
    desk.answerFault(`${FAULT}<d:Other>y</d:Other>`);
    const { errors } = await desk.ask(
      'mutation { placeOrder(order: { customerCode: "C", lines: [] }) { orderId } }',
    );
    const [error] = errors ?? [];
    const { id, ...extensions } = error?.extensions ?? {};
    t.type(id, 'string', 'the id of the log line');
    t.same(extensions, {
      code: 'SOAP_FAULT',
      soap: {
        ...(version === '1.1'
          ? { code: 'Server', string: 'no', actor: null }
          : {
              code: 'Sender',
              subcode: 'Gone',
              subcodes: ['Gone', 'Sold'],
              string: 'no',
              reasons: [
                { lang: 'en', text: 'no' },
                { lang: 'de', text: 'nein' },
              ],
              role: 'urn:r',
              node: 'urn:n',
              actor: 'urn:r',
            }),
        detail: { OrderFault: { code: 404, field: 'id', reason: 'No <such> order' } },
      },
    });
  });
}

const FAULTS = ['failure', 'text', 'empty', 'any', 'trace'];

/** Faults and answers that are no objects by themselves. */
const ODD = wsdlOf(
  'http://legacy.example.com/desk',
  `<xs:complexType name="Failure" abstract="true"><xs:sequence>\
<xs:element name="why" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType>
  <xs:complexType name="Broken"><xs:complexContent><xs:extension base="t:Failure"><xs:sequence>\
<xs:element name="part" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent>\
</xs:complexType>
  <xs:complexType name="Late"><xs:complexContent><xs:extension base="t:Failure"><xs:sequence>\
<xs:element name="days" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent>\
</xs:complexType>
  ${wrapper('trace', element('stackTrace', 'xs:string') + element('n', 'xs:int', 'maxOccurs="unbounded"'))}
  <xs:element name="failure" type="t:Failure"/><xs:element name="text" type="xs:string"/>
  <xs:element name="empty"><xs:complexType/></xs:element>
  <xs:element name="any"><xs:complexType mixed="true"><xs:sequence>\
<xs:any minOccurs="0" processContents="skip"/></xs:sequence></xs:complexType></xs:element>
  ${wrapper('List')}${wrapper('ListResponse', element('sku', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"'))}
  <xs:element name="Reset"><xs:complexType/></xs:element><xs:element name="ResetResponse">\
<xs:complexType/></xs:element>`,
  ['List', 'Reset'],
  { faults: FAULTS, actionOf: () => '' },
);

t.test('answers and Faults that are no objects are the value of one', async (t) => {
  const operations =
    '{ List: { field: Query.list, faults: union }, Reset: { field: ' +
    'Mutation.reset, faults: union } }';
  const desk = await startDesk(t, '1.1', { wsdl: ODD, operations });
  const faults =
    '__typename ... on Broken { why part } ... on Late { days } ... on Failure { w: why } ... ' +
    'on Text { value } ... on Empty { there: value } ... on Any { xml }';
  const list = `{ list { ${faults} ... on ListPayload { skus: value } } }`;
  const told = async (content: string, query = list): Promise<unknown> => {
    desk.answer(content);
    return desk.ask(query);
  };
  const fault = (detail: string): string => faultWith(detail, '1.1');
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  t.same(await told('<d:ListResponse><d:sku>a</d:sku></d:ListResponse>'), {
    data: { list: { __typename: 'ListPayload', skus: ['a'] } },
  });
  t.same(await told('<d:ListResponse/>'), {
    data: { list: { __typename: 'ListPayload', skus: [] } },
  });
  t.same(
    await told(
      fault(`<d:failure ${xsi} xsi:type="d:Broken"><d:why>w</d:why><d:part>3</d:part></d:failure>`),
    ),
    {
      data: { list: { __typename: 'Broken', why: 'w', part: 3, w: 'w' } },
    },
  );
  t.same(await told(fault('<d:text>t</d:text><d:failure/>')), {
    data: { list: { __typename: 'Text', value: 't' } },
  });
  t.same(await told(fault('<d:empty/>')), { data: { list: { __typename: 'Empty', there: true } } });
  t.same(await told(fault('<d:any>a<b>c</b></d:any>')), {
    data: {
      list: {
        __typename: 'Any',
        xml: '<any xmlns="http://legacy.example.com/desk">a<b xmlns="">c</b></any>',
      },
    },
  });
  t.match(await told(fault('<d:failure/>')), {
    data: { list: null },
    errors: [{ extensions: { code: 'SOAP_FAULT' } }],
  });
  const reset =
    'mutation { reset { __typename ... on ResetPayload { value } ... on Text { t: value } } }';
  t.same(await told('<d:ResetResponse/>', reset), {
    data: { reset: { __typename: 'ResetPayload', value: true } },
  });
  t.same(await told(fault('<d:text>t</d:text>'), reset), {
    data: { reset: { __typename: 'Text', t: 't' } },
  });
});

t.test('details that callers may not see are no data either', async (t) => {
  const desk = await startDesk(t, '1.1', { more: '    faultDetail: none\n' });
  desk.answerFault(FAULT, 200);
  t.match(await desk.ask(QUERY), {
    data: { order: null },
    errors: [{ extensions: { soap: { detail: null } } }],
  });
});

t.test('typed details keep to the policy, and to what an error may tell', async (t) => {
  const operations =
    '{ List: { field: Query.list }, Reset: { field: Mutation.reset, faults: union } }';
  const desk = await startDesk(t, '1.1', { wsdl: ODD, operations });
  const { ask } = desk;
  const detailOf = async (detail: string): Promise<unknown> => {
    desk.answerFault(detail, 200);
    const { errors } = await ask('{ list }');
    return Object(errors?.[0]?.extensions['soap']).detail;
  };
  const trace = '<d:stackTrace>at x.y.Z</d:stackTrace>';
  t.same(await detailOf(`<d:trace>${trace}<d:n>1</d:n><d:n> 2</d:n></d:trace>`), {
    trace: { stackTrace: null, n: [1, 2] },
  });
  t.same(await detailOf('<d:trace>only text</d:trace>'), { trace: 'only text' });
  t.same(await detailOf('<d:text>7</d:text><d:text>8</d:text><d:empty/>'), {
    text: ['7', '8'],
    empty: '',
  });
  t.same(await detailOf('<trace xmlns=""><n>3</n></trace>'), {
    trace: { stackTrace: null, n: [3] },
  });
  t.same(await detailOf('<a.b.trace xmlns=""><n>3</n></a.b.trace>'), {
    'a.b.trace': { stackTrace: null, n: [3] },
  });
  const many = await detailOf(`<d:trace>${'<d:n>1</d:n>'.repeat(5000)}</d:trace>`);
  t.ok(JSON.stringify(many).length < 6000, 'elements of an error are bounded');
  t.match(many, { trace: { n: ['1', '1'] } });
  const long = await detailOf(`<d:text>${'x'.repeat(1e6)}</d:text>`);
  t.ok((JSON.stringify(long) ?? '').length < 70_000, 'as is its text');
  desk.answerFault(`<d:trace>${trace}<d:n>1</d:n></d:trace>`, 200);
  const query = (fields: string): string => `mutation { reset { ... on Trace { ${fields} } } }`;
  t.same(await ask(query('n')), { data: { reset: { n: [1] } } });
  t.match(await ask(query('n stackTrace')), {
    data: { reset: null },
    errors: [{ extensions: { code: 'SOAP_FAULT' } }],
  });
});

const GET = '{ Get: { field: Query.get } }';

/** A WSDL of `Get` with this Fault. */
const failing = (fault: string, types: string): string => {
  const own = wrapper('Get', element('id', 'xs:int')) + element('GetResponse', 'xs:string');
  return wsdlOf('urn:t', own + types, ['Get'], { faults: [fault] });
};

t.test(
  'a declared Fault of a recursive type, from which others derive, is reported whole',
  async (t) => {
    const derived = Array.from(
      { length: 40 },
      (_, n) =>
        `<xs:complexType name="Kind${n}"><xs:complexContent><xs:extension base="t:Problem">` +
        `<xs:sequence><xs:element name="kind${n}" type="xs:int"/>` +
        '<xs:element name="also" type="t:Problem" minOccurs="0" maxOccurs="unbounded"/>' +
        '</xs:sequence></xs:extension></xs:complexContent></xs:complexType>',
    );
    const problem = element('code', 'xs:int') + element('cause', 't:Problem', 'minOccurs="0"');
    const types =
      `<xs:complexType name="Problem"><xs:sequence>${problem}</xs:sequence>` +
      `</xs:complexType>${derived.join('')}`;
    const desk = await startDesk(t, '1.1', {
      wsdl: failing('Failed', `${types}<xs:element name="Failed" type="t:Problem"/>`),
      operations: GET,
    });
    const XSI = 'xmlns:x="http://www.w3.org/2001/XMLSchema-instance" xmlns:t="urn:t"';
    const depth = 12;
    const nested =
      `${'<t:code>1</t:code><t:cause>'.repeat(depth)}<t:code>2</t:code>` +
      `${'</t:cause>'.repeat(depth)}`;
    const entry =
      `<t:Failed ${XSI} x:type="t:Kind39">${nested}<t:kind39>39</t:kind39>` +
      '<t:also x:type="t:Kind7"><t:code>3</t:code><t:kind7>7</t:kind7></t:also></t:Failed>';
    desk.answerFault(entry);
    const answer = await desk.ask('{ get(id: 1) }');
    t.match(answer, {
      errors: [
        {
          extensions: {
            soap: { detail: { Failed: { code: 1, kind39: 39, also: [{ code: 3, kind7: 7 }] } } },
          },
        },
      ],
    });
    t.equal(JSON.stringify(answer).match(/"cause":{/g)?.length, depth, 'however deep it is');
    desk.answerFault('<t:Failed xmlns:t="urn:t"><t:code>1</t:code></t:Failed>');
    t.match(await desk.ask('{ get(id: 1) }'), {
      errors: [{ extensions: { soap: { detail: { Failed: { code: 1 } } } } }],
    });
  },
);

t.test(
  'an ExceptionDetail of .NET that the WSDL declares is passed on, without its stack trace',
  async (t) => {
    const [from, to] = ['<xs:complexType name="Detail">', '</xs:complexType>'];
    const detail =
      `${from}<xs:sequence>${['Message', 'StackTrace', 'Type']
        .map(
          (name) => `<xs:element \
name="${name}" type="xs:string" minOccurs="0" nillable="true"/>`,
        )
        .join('')}` +
      `<xs:element name="InnerException" type="t:Detail" minOccurs="0"/></xs:sequence>${to}`;
    const wsdl = (fault: string): string =>
      failing(/name="(\w+)"/.exec(fault)?.[1] ?? '', `${detail}${fault}`);
    const trace = '<d:StackTrace>at Secret.Db()</d:StackTrace>';
    const own = (inner: string): string =>
      `<d:ExceptionDetail xmlns:d="urn:t"><d:Message>no stock</d:Message>${trace}` +
      `<d:Type>E</d:Type>${inner}</d:ExceptionDetail>`;
    const exception = own(
      `<d:InnerException><d:Message>deep</d:Message>${trace}</d:InnerException>`,
    );
    const inside = (element: string): string =>
      '<xs:element name="Failed"><xs:complexType><xs:sequence>' +
      `<xs:element name="no" type="xs:int"/>${element}</xs:sequence>` +
      '</xs:complexType></xs:element>';
    const failed = `<d:Failed xmlns:d="urn:t"><d:no>7</d:no>${exception}</d:Failed>`;
    for (const [fault, sent, isDeclared] of [
      ['<xs:element name="ExceptionDetail" type="t:Detail"/>', exception, true],
      [inside('<xs:element name="ExceptionDetail" type="t:Detail" minOccurs="0"/>'), failed, true],
      [inside('<xs:any minOccurs="0"/>'), failed, false],
      ['<xs:element name="Other" type="t:Detail"/>', exception, false],
    ] as const) {
      const desk = await startDesk(t, '1.1', { wsdl: wsdl(fault), operations: GET });
      desk.answerFault(sent);
      const call = await desk.send(
        envelope('<t:Get xmlns:t="urn:t"><t:id>1</t:id></t:Get>', '1.1'),
      );
      for (const text of [await call.text(), await desk.askText('{ get(id: 1) }')]) {
        t.equal(text.includes('no stock'), isDeclared, `${fault}: ${text}`);
        t.equal(text.includes('deep'), isDeclared);
        t.notMatch(text, 'Secret.Db');
      }
    }
  },
);

t.test('a Fault of SOAP 1.2 that is not valid keeps its Header and its status', async (t) => {
  const desk = await startDesk(t, '1.2');
  const { gateway, backend } = desk;
  const request =
    `<E:Envelope xmlns:E="${SOAP['1.2']}"><E:Body>` +
    '<d:GetOrder xmlns:d="http://legacy.example.com/desk"><d:id>1</d:id></d:GetOrder>' +
    '</E:Body></E:Envelope>';
  const header =
    '<E:Header><a:RelatesTo xmlns:a="http://www.w3.org/2005/08/addressing">' +
    'urn:uuid:1</a:RelatesTo></E:Header>';
  const send = async (fault: string, status: number): Promise<readonly [number, string]> => {
    const reply = envelope(fault, '1.2').replace('<E:Body>', `${header}<E:Body>`);
    backend.answer = answerWith(reply, MEDIA['1.2'], status);
    const answer = await fetch(`${gateway.url}/soap/desk`, {
      method: 'POST',
      headers: { 'content-type': MEDIA['1.2'] },
      body: request,
    });
    return [answer.status, await answer.text()];
  };
  const valid = faultWith(FAULT, '1.2');
  const bare = valid.replace('E:Sender<', ' Sender <');
  const [status, text] = await send(bare, 503);
  t.equal(status, 503);
  t.ok(text.includes(header), text);
  t.ok(text.includes(valid.slice(0, valid.indexOf('<E:Detail>'))), 'the prefix is added');
  t.match(await gateway.accessLine(1), { repairedFault: 'a code without a prefix' });
  const unknown = await send(valid.replace('E:Sender<', 'd:Odd\u00e9<'), 503);
  t.equal(unknown[0], 503);
  t.ok(unknown[1].includes(header), unknown[1]);
  t.match(unknown[1], /Value>soap:Receiver<.*nein/s, 'the Fault alone is written anew');
  t.match(await gateway.accessLine(2), { repairedFault: /not valid/ });
  const [, whole] = await send(valid, 500);
  t.ok(whole.includes(valid.slice(0, valid.indexOf('<E:Detail>'))));
  t.equal((await gateway.accessLine(3))['repairedFault'], undefined);
});
