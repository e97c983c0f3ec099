import { join } from 'node:path';
import t from 'tap';
import { runCommand } from '../kit/command.js';
import { useBackend } from '../kit/use.js';
import { element as el } from '../kit/wsdl.js';
import { desk, FIELDS, graphql, startDesk } from './desk.js';

/** Cases 1 to 7, 19, 20, 22: what WSDLs and schemas say, and where they come from. */

t.test(
  'case 1: elements are in the namespace of the schema that declares them, headers ' +
    'in Header, arrays repeat',
  async (t) => {
    const schemas = `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified" \
xmlns:o="urn:other">
<xs:import namespace="urn:other"/>
<xs:element name="Get"><xs:complexType><xs:sequence>${el('order', 'o:Order')}\
${el('tag', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"')}<xs:element ref="o:note"/>\
</xs:sequence></xs:complexType></xs:element>
<xs:element name="GetResponse" type="xs:string"/></xs:schema>
<xs:schema targetNamespace="urn:other" elementFormDefault="qualified">
<xs:complexType name="Order"><xs:sequence>${el('sku', 'xs:string')}</xs:sequence></xs:complexType>
${el('note', 'xs:string')}${el('Token', 'xs:string')}</xs:schema>`;
    const { ask, sent } = await startDesk(
      t,
      desk({
        schemas,
        head: 'xmlns:o="urn:other"',
        messages: '<message name="Head"><part name="token" element="o:Token"/></message>',
        input: '<soap:header message="t:Head" part="token" use="literal"/>',
      }),
    );
    const answer = await ask(
      '{ get(order: { sku: "A" }, tag: ["x", "y"], note: "n", headers: { token: "secret" }) }',
      '<t:GetResponse>ok</t:GetResponse>',
    );
    t.same(answer, { data: { get: 'ok' } });
    const plain = withoutPrefixes(sent());
    t.equal(
      plain,
      '<{E}Envelope><{E}Header><{urn:other}Token>secret</></><{E}Body><{urn:t}Get>' +
        '<{urn:t}order><{urn:other}sku>A</></>' +
        '<{urn:t}tag>x</><{urn:t}tag>y</><{urn:other}note>n</></></></>',
    );
  },
);

t.test(
  'case 2: local elements without a namespace have none, and no namespace is ' +
    'declared that is not used',
  async (t) => {
    const { ask, sent } = await startDesk(
      t,
      desk({
        qualified: false,
        request: `${el('a', 'xs:int')}<xs:element name="b" type="xs:int" form="qualified"/>`,
      }),
    );
    t.same(
      await ask(
        '{ get(a: 1, b: 2) }',
        '<q7:GetResponse xmlns:q7="urn:t"><result xmlns="">ok</result></q7:GetResponse>',
      ),
      {
        data: { get: 'ok' },
      },
    );
    t.equal(
      withoutPrefixes(sent()),
      '<{E}Envelope><{E}Body><{urn:t}Get><{}a>1</><{urn:t}b>2</></></></>',
    );
    t.equal([...sent().matchAll(/xmlns/g)].length, 2, sent());
  },
);

t.test(
  'case 3: imports are found beside the file that imports, in circles, without a place, and inline',
  async (t) => {
    const schema = (namespace: string, inside: string): string =>
      `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${namespace}" ` +
      'xmlns:a="urn:a" xmlns:b="urn:b" xmlns:c="urn:c" elementFormDefault="qualified">' +
      `${inside}</xs:schema>`;
    const { ask } = await startDesk(t, {
      'desk.wsdl': desk({
        schemas: `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified" \
xmlns:a="urn:a"><xs:import namespace="urn:a" schemaLocation="types/a.xsd"/>
<xs:element name="Get"><xs:complexType/></xs:element><xs:element name="GetResponse" type="a:A"/>\
</xs:schema>${schema(
          'urn:c',
          `<xs:complexType name="C"><xs:sequence>\
${el('c', 'xs:int')}</xs:sequence></xs:complexType>`,
        )}`,
      }),
      'types/a.xsd': schema(
        'urn:a',
        '<xs:import namespace="urn:b" schemaLocation="more/b.xsd"/><xs:complexType name="A">' +
          `<xs:sequence>${el('b', 'b:B')}</xs:sequence></xs:complexType>`,
      ),
      'types/more/b.xsd': schema(
        'urn:b',
        '<xs:import namespace="urn:a" schemaLocation="../a.xsd"/>' +
          '<xs:import namespace="urn:c"/><xs:include schemaLocation="chameleon.xsd"/>' +
          `<xs:complexType name="B"><xs:sequence>${el('c', 'c:C')}` +
          `${el('d', 'b:D')}</xs:sequence></xs:complexType>`,
      ),
      'types/more/chameleon.xsd':
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">' +
        '<xs:simpleType name="D"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>',
    });
    const reply =
      '<t:GetResponse><b xmlns="urn:a"><c xmlns="urn:b"><c xmlns="urn:c">1</c></c>' +
      '<d xmlns="urn:b">2</d></b></t:GetResponse>';
    t.same(await ask('{ get { b { c { c } d } } }', reply), {
      data: { get: { b: { c: { c: 1 }, d: 2 } } },
    });
  },
);

t.test(
  'case 4: credentials go to the WSDL and every schema of its host; a login page is named as such',
  async (t) => {
    const asked: string[] = [];
    const schema = (content: string): string =>
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">' +
      `${content}</xs:schema>`;
    const files: Readonly<Record<string, string>> = {
      '/desk.wsdl': desk({ schemas: schema('<xs:include schemaLocation="one.xsd"/>') }),
      '/one.xsd': schema('<xs:include schemaLocation="two.xsd"/>'),
      '/two.xsd': schema(
        `<xs:element name="Get"><xs:complexType/></xs:element>${el('GetResponse', 'xs:string')}`,
      ),
    };
    const { url } = await useBackend(t, ({ target, headers }, response) => {
      asked.push(`${target} ${headers['authorization'] ?? 'nobody'}`);
      const page = '<!DOCTYPE html><html><body>Please log in</body></html>';
      response.end(headers['authorization'] === undefined ? page : files[target]);
    });
    const refused = await runCommand(
      'import',
      `${url}/desk.wsdl`,
      '-o',
      join(t.testdir({}), 'refused'),
    );
    t.equal(refused.code, 2);
    t.match(refused.all, /HTML page.*login/);
    asked.length = 0;
    process.env['DESK_LOGIN'] = `Basic ${Buffer.from('jo:secret').toString('base64')}`;
    const imported = await runCommand(
      ...['import', `${url}/desk.wsdl`, '-o', join(t.testdir({}), 'imported')],
      ...['--header', `Authorization: \${DESK_LOGIN}`],
    );
    t.equal(imported.code, 0, imported.all);
    t.same(
      asked.map((line) => line.replace(/Basic \S+$/, 'jo')),
      ['/desk.wsdl jo', '/one.xsd jo', '/two.xsd jo'],
    );
    t.notMatch(imported.all, /secret|Basic/);
  },
);

t.test(
  'case 5: names in two namespaces, without a name, not legal in GraphQL, ' +
    'used before they are declared',
  async (t) => {
    const schemas = `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified" \
xmlns:o="urn:o"><xs:import namespace="urn:o"/>
<xs:element name="Get"><xs:complexType/></xs:element>
<xs:element name="GetResponse"><xs:complexType><xs:sequence>${el('mine', 't:Item')}\
${el('theirs', 'o:Item')}
<xs:element name="in-line"><xs:complexType><xs:sequence>${el('_1st.item', 'xs:anySimpleType')}\
</xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
<xs:complexType name="Item"><xs:sequence>${el('a', 'xs:int')}</xs:sequence></xs:complexType>\
</xs:schema>
<xs:schema targetNamespace="urn:o" elementFormDefault="qualified"><xs:complexType name="Item">\
<xs:sequence>${el('b', 'xs:int')}</xs:sequence></xs:complexType></xs:schema>`;
    const { ask } = await startDesk(t, desk({ schemas }));
    const reply =
      '<t:GetResponse><t:mine><t:a>1</t:a></t:mine><t:theirs><b xmlns="urn:o">2</b></t:theirs>' +
      '<t:in-line><t:_1st.item>007</t:_1st.item></t:in-line></t:GetResponse>';
    const types = '{ mine { __typename a } theirs { __typename b } inLine { _1stItem { value } } }';
    const { data, errors } = await ask(`{ get ${types} }`, reply);
    t.equal(errors, undefined);
    t.match(data, {
      get: {
        mine: { __typename: 'Item', a: 1 },
        theirs: { b: 2 },
        inLine: { _1stItem: { value: '007' } },
      },
    });
    t.not(
      Object(Object(data?.['get'])['theirs']).__typename,
      'Item',
      'the two types are told apart',
    );
  },
);

t.test(
  'case 6: what is not understood disables no more than itself, and is reported with its place',
  async (t) => {
    const wsdl = desk({ reply: `${el('ok', 'xs:int')}${el('odd', 't:Missing', 'minOccurs="0"')}` });
    const folder = t.testdir({ 'desk.wsdl': wsdl });
    const { code, all: out } = await runCommand(
      'import',
      join(folder, 'desk.wsdl'),
      '-o',
      join(folder, 'imported'),
    );
    t.equal(code, 0);
    t.match(out, /Get\s+partial\s+Query\.get.*Missing is not declared.*desk\.wsdl:\d+/s);
    const { ask } = await startDesk(t, wsdl);
    const reply = '<t:GetResponse><t:ok>1</t:ok><t:odd><x>?</x></t:odd></t:GetResponse>';
    t.match(await ask('{ get { ok odd { xml } } }', reply), {
      data: { get: { ok: 1, odd: { xml: /<x[^>]*>\?<\/x>/ } } },
    });
  },
);

t.test(
  'case 7: each port has its own SOAP version and action, found by namespace and not by prefix',
  async (t) => {
    for (const version of ['1.1', '1.2'] as const) {
      // The prefix says the other version.
      const wsdl = desk({ version })
        .replaceAll(version === '1.1' ? 'soap:' : 'soap12:', 'x:')
        .replace(
          'xmlns:soap=',
          `xmlns:x="http://schemas.xmlsoap.org/wsdl/${version === '1.1' ? 'soap' : 'soap12'}/" ` +
            'xmlns:soap=',
        );
      const { ask, backend } = await startDesk(t, wsdl, '', version);
      t.same(await ask('{ get }', '<t:GetResponse><t:result>ok</t:result></t:GetResponse>'), {
        data: { get: 'ok' },
      });
      const headers = backend.complete.at(-1)?.headers ?? {};
      t.equal(
        headers['content-type'],
        version === '1.1'
          ? 'text/xml; charset=utf-8'
          : 'application/soap+xml; charset=utf-8; action="urn:t/Get"',
      );
      t.equal(headers['soapaction'], version === '1.1' ? '"urn:t/Get"' : undefined);
    }
  },
);

t.test('case 19: of a huge WSDL only what is chosen is made', async (t) => {
  const files: Record<string, string> = {};
  const includes: string[] = [];
  for (let n = 0; n < 640; n++) {
    includes.push(`<xs:include schemaLocation="s/${n}.xsd"/>`);
    files[`s/${n}.xsd`] =
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:t" ' +
      'targetNamespace="urn:t" elementFormDefault="qualified">' +
      `${Array.from(
        { length: 10 },
        (_, k) =>
          `<xs:complexType name="T${n}_${k}"><xs:sequence>\
${el('next', `T${(n + 1) % 640}_${k}`, 'minOccurs="0"')}${el('v', 'xs:int')}</xs:sequence></xs:complexType>`,
      ).join('')}` +
      '</xs:schema>';
  }
  const schemas = `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">\
${includes.join('')}
<xs:element name="Get"><xs:complexType/></xs:element><xs:element name="GetResponse" \
type="t:T0_0"/></xs:schema>`;
  const { ask } = await startDesk(t, { ...files, 'desk.wsdl': desk({ schemas }) }, FIELDS);
  const reply = '<t:GetResponse><t:next><t:v>2</t:v></t:next><t:v>1</t:v></t:GetResponse>';
  t.same(await ask('{ get { v next { v } } }', reply), { data: { get: { v: 1, next: { v: 2 } } } });
});

t.test('case 20: an empty complex type and a one-way operation', async (t) => {
  const wsdl = desk({ reply: '<xs:element name="done"><xs:complexType/></xs:element>' })
    .replace(
      '</portType>',
      '<operation name="Notify"><input message="t:In"/></operation></portType>',
    )
    .replace(
      '</binding>',
      '<operation name="Notify"><soap:operation soapAction="urn:t/Notify"/><input>' +
        '<soap:body use="literal"/></input></operation></binding>',
    );
  const { ask, backend, gateway } = await startDesk(t, wsdl);
  t.same(await ask('{ get }', '<t:GetResponse><t:done/></t:GetResponse>'), { data: { get: true } });
  backend.answer = (_, response) => response.writeHead(202).end();
  t.same(await graphql(gateway, 'mutation { notify(id: 7) }'), { data: { notify: true } });
});

t.test('case 22: a hostile WSDL runs nothing and reads nothing else', async (t) => {
  const names = [
    'constructor',
    '__proto__',
    'toString',
    '$&#123;process.exit(1)&#125;',
    "');process.exit(1);('",
  ];
  const request = names
    .map((name, n) => el(n < 3 ? name : `a${n}`, 'xs:string', 'minOccurs="0"'))
    .join('');
  const documented = request.replace(
    '/>',
    `><xs:annotation><xs:documentation>${names.join(' ')} """ \\u0000</xs:documentation>` +
      '</xs:annotation></xs:element>',
  );
  const { ask, sent } = await startDesk(t, desk({ request: documented, action: "urn:t/Get');//" }));
  t.same(
    await ask(
      '{ get(constructor: "c", toString: "s") }',
      '<t:GetResponse><t:result>ok</t:result></t:GetResponse>',
    ),
    {
      data: { get: 'ok' },
    },
  );
  t.match(sent(), /constructor>c<.*toString>s</);
  t.equal(Object.getPrototypeOf({}), Object.prototype);

  for (const location of [
    '/etc/passwd',
    'file:///etc/passwd',
    '../outside.txt',
    '../.hidden/outside.xsd',
    'http://169.254.169.254/latest/',
  ]) {
    const folder = t.testdir({
      'outside.txt': 'not a schema',
      '.hidden': { 'outside.xsd': '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>' },
      inside: {
        'desk.wsdl': desk({
          schemas:
            '<xs:schema targetNamespace="urn:t"><xs:import namespace="urn:x" ' +
            `schemaLocation="${location}"/><xs:element name="Get"><xs:complexType/></xs:element>` +
            '<xs:element name="GetResponse" type="xs:string"/></xs:schema>',
        }),
      },
    });
    const { all: out } = await runCommand(
      'import',
      join(folder, 'inside', 'desk.wsdl'),
      '-o',
      join(folder, 'imported'),
    );
    t.match(out, /folder of the WSDL/, location);
  }
  const folder = t.testdir({
    'x.wsdl': `<!DOCTYPE x [<!ENTITY e SYSTEM "/etc/passwd">]>${desk()}`,
  });
  const { code, all: out } = await runCommand(
    'import',
    join(folder, 'x.wsdl'),
    '-o',
    join(folder, 'imported'),
  );
  t.equal(code, 2);
  t.match(out, /DTD/);
});

/** Names as `{namespace}local`, end tags as `</>`, no declarations: what a message means. */
function withoutPrefixes(xml: string): string {
  const bound = new Map<string, string>([['', '']]);
  for (const [, prefix = '', uri = ''] of xml.matchAll(/xmlns(?::(\w+))?="([^"]*)"/g))
    bound.set(prefix, uri);
  const short = (prefix = ''): string =>
    (bound.get(prefix) ?? '?').replace(/^http:\/\/schemas.*/, 'E');
  return xml
    .replace(/^<\?[^>]*>/, '')
    .replace(/ xmlns(?::\w+)?="[^"]*"/g, '')
    .replace(/<\/[^>]*>/g, '</>')
    .replace(/<(?:(\w+):)?(\w+)/g, (_, prefix, local) => `<{${short(prefix)}}${local}`);
}
