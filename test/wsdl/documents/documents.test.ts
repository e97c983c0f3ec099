import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { AT_ONCE } from '../../../src/core/time-slices.js';
import type { FetchDocument } from '../../../src/wsdl/documents/document-source.js';
import { IMPORT_LIMITS } from '../../../src/wsdl/documents/documents.js';
import { parseTree } from '../../../src/wsdl/documents/parse.js';
import { readWsdl } from '../../../src/wsdl/read.js';
import {
  complexOf,
  FILES,
  folderWith,
  importing,
  operationOf,
  printContent,
  problemsOf,
  schemaWith,
  wsdlWith,
} from '../written.js';

const XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"';
const xsd = (content: string, attributes = '') =>
  `<xs:schema ${XS} ${attributes}>${content}</xs:schema>`;
const typeA = (child: string) =>
  `<xs:complexType name="A"><xs:sequence><xs:element name="${child}" type="xs:int"/>` +
  '</xs:sequence></xs:complexType>';

t.test('imports resolve relative to the document that holds them', async (t) => {
  const directory = folderWith(t, {
    'a.wsdl': importing('<xs:import namespace="urn:u" schemaLocation="sub/u.xsd"/>'),
    'sub/u.xsd': xsd(
      '<xs:import namespace="urn:v" schemaLocation="deep/v.xsd#top"/>' +
        '<xs:element name="u" type="v:A"/>',
      'targetNamespace="urn:u" xmlns:v="urn:v"',
    ),
    'sub/deep/v.xsd': xsd(
      `<xs:include schemaLocation="..\\w.xsd"/>${typeA('v')}`,
      'targetNamespace="urn:v"',
    ),
    'sub/w.xsd': xsd(
      '<xs:element name="w" type="xs:int"/>',
      'targetNamespace="urn:v" xmlns="urn:v"',
    ),
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  t.strictSame(model.warnings, []);
  t.strictSame(
    model.documents.map(({ index, kind, location }) => [index, kind, location]),
    ['a.wsdl', 'sub/u.xsd', 'sub/deep/v.xsd', 'sub/w.xsd'].map((name, index) => [
      index,
      index === 0 ? 'wsdl' : 'schema',
      join(directory, name),
    ]),
  );
  t.equal(model.elements.get('{urn:u}u')?.type, complexOf(model, 'A', 'urn:v'));
  t.ok(model.elements.has('{urn:v}w'));
});

t.test(
  'circular imports, imports met twice and imports without location are read once',
  async (t) => {
    const directory = folderWith(t, {
      'a.wsdl': wsdlWith({
        head:
          '<import namespace="urn:t" location="b.wsdl"/>' +
          '<import namespace="urn:t" location="./b.wsdl"/>',
        types: `${schemaWith('<xs:import namespace="urn:u"/><xs:element name="E" type="u:A" xmlns:u="urn:u"/>')}
        <xs:schema targetNamespace="urn:u"><xs:include schemaLocation="c.xsd"/></xs:schema>`,
        service: '',
      }),
      'b.wsdl': `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t" targetNamespace="urn:t">
      <import namespace="urn:t" location="a.wsdl"/><service name="S"><port name="P" binding="t:B">\
<soap:address location="http://b/"/></port></service></definitions>`,
      'c.xsd': xsd(`<xs:include schemaLocation="d.xsd"/>${typeA('c')}`, 'targetNamespace="urn:u"'),
      'd.xsd': xsd('<xs:include schemaLocation="c.xsd"/>', 'targetNamespace="urn:u"'),
    });
    const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
    t.equal(model.documents.length, 4);
    t.equal(operationOf(model, 'Get').status, 'ok');
    t.equal(model.elements.get('{urn:t}E')?.type, complexOf(model, 'A', 'urn:u'));
    t.strictSame(model.warnings, []);
  },
);

t.test('an included schema without target takes that of each includer', async (t) => {
  const include = '<xs:include schemaLocation="c.xsd"/>';
  const directory = folderWith(t, {
    'a.wsdl': wsdlWith({
      types:
        `${schemaWith(include)}<xs:schema targetNamespace="urn:u" ` +
        `elementFormDefault="qualified">${include}</xs:schema>`,
    }),
    'c.xsd': xsd(
      `${typeA('c')}<xs:element name="E" type="A"/><xs:group name="G"><xs:sequence>\
<xs:element name="g" type="S"/></xs:sequence></xs:group>
       <xs:complexType name="B"><xs:group ref="G"/></xs:complexType><xs:simpleType name="S">\
<xs:restriction base="xs:int"/></xs:simpleType>`,
      'elementFormDefault="qualified"',
    ),
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  for (const uri of ['urn:t', 'urn:u']) {
    t.equal(printContent(complexOf(model, 'A', uri)), `sequence({${uri}}c:int)`);
    t.equal(model.elements.get(`{${uri}}E`)?.type, complexOf(model, 'A', uri));
    t.equal(printContent(complexOf(model, 'B', uri)), `sequence({${uri}}g:S)`);
  }
});

t.test('a redefinition takes the place of what it is derived from', async (t) => {
  const directory = folderWith(t, {
    'a.wsdl': wsdlWith({
      types: schemaWith(`<xs:redefine schemaLocation="c.xsd"><xs:complexType name="A">\
<xs:complexContent><xs:extension base="t:A">
        <xs:sequence><xs:element name="more" type="xs:int"/></xs:sequence></xs:extension>\
</xs:complexContent></xs:complexType>
        <xs:simpleType name="S"><xs:restriction base="t:S"><xs:maxLength value="3"/>\
</xs:restriction></xs:simpleType></xs:redefine>`),
    }),
    'c.xsd': xsd(
      `${typeA('c')}<xs:simpleType name="S"><xs:restriction base="xs:token"/></xs:simpleType>` +
        '<xs:element name="E" type="t:A"/>',
      'targetNamespace="urn:t" xmlns:t="urn:t"',
    ),
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  t.equal(printContent(complexOf(model, 'A')), 'sequence(c:int, {urn:t}more:int)');
  t.equal(model.elements.get('{urn:t}E')?.type, complexOf(model, 'A'));
  t.match(model.types.get('{urn:t}S'), { builtIn: 'token', facets: { maxLength: 3 } });
  t.strictSame(model.warnings, []);
});

t.test('well-known schemas are built in: their imports need no network', async (t) => {
  const directory = folderWith(t, {
    'a.wsdl': wsdlWith({
      types: schemaWith(`<xs:import namespace="http://schemas.xmlsoap.org/soap/encoding/" \
schemaLocation="http://schemas.xmlsoap.org/soap/encoding/"/>
        <xs:import namespace="http://www.w3.org/XML/1998/namespace" \
schemaLocation="http://www.w3.org/2001/xml.xsd"/>
        <xs:import namespace="http://www.w3.org/2001/XMLSchema"/>\
<xs:import namespace="https://www.w3.org/2005/05/xmlmime" \
schemaLocation="https://www.w3.org/2005/05/xmlmime"/>
        <xs:element name="E" type="soapenc:string"/>`),
    }),
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  t.strictSame(model.warnings, []);
  t.match(model.elements.get('{urn:t}E')?.type, { kind: 'simple', builtIn: 'string' });
});

t.test(
  'nothing outside the folder of the WSDL is read, and the line that asked for it is named',
  async (t) => {
    const directory = folderWith(t, {
      'a.wsdl': importing(
        ...[
          '../secret.xsd',
          '/etc/passwd',
          'file:///etc/passwd',
          'http://169.254.169.254/latest/x.xsd',
          '//host/share.xsd',
          '\\\\host\\share.xsd',
          'link.xsd',
          'jar:file:/x.jar!/x.xsd',
          'sub/../../secret.xsd',
          'sub',
          'missing.xsd',
        ].map((href, at) => `<xs:import namespace="urn:n${at}" schemaLocation="${href}"/>`),
      ),
      'sub/x.xsd': xsd(''),
      '../secret.xsd': xsd('<xs:element name="secret" type="xs:int"/>'),
    });
    symlinkSync(join(directory, '..', 'secret.xsd'), join(directory, 'link.xsd'));
    const model = await readWsdl(join(directory, 'a.wsdl'), {
      ...FILES,
      fetch: () => t.fail('a connection') as never,
    });
    t.equal(model.documents.length, 1);
    t.match(
      model.warnings.map(({ line, what }) => [line, what]),
      [
        [7, /outside the folder.* in 3 places, also .*a\.wsdl:13, .*a\.wsdl:15\.$/],
        [8, /absolute.* in 2 places, also .*a\.wsdl:12\.$/],
        [9, /names a URL that cannot be read.* in 3 places, also .*:11, .*:14\.$/],
        [10, /names a URL\.$/],
        [16, /not a regular file/],
        [17, /cannot be found/],
      ],
    );
    const remedies = model.warnings.map(({ remedy }) => remedy);
    t.match(remedies[0], /^Read it with: soapstone import \S+a\.wsdl -o FOLDER --root \S+$/);
    t.match(remedies[3], / --allow-host 169\.254\.169\.254$/);
    t.equal(operationOf(model, 'Get').status, 'ok', 'the rest is of use');
    const wider = await readWsdl(join(directory, 'a.wsdl'), {
      ...FILES,
      root: join(directory, '..'),
    });
    t.equal(wider.documents.length, 2, 'the operator may name a wider folder');
    t.match(
      await problemsOf(join(directory, 'a.wsdl'), { ...FILES, root: join(directory, 'sub') }),
      [{ what: 'The file lies outside the folder of the WSDL.' }],
    );
  },
);

t.test('what is no WSDL at all is refused with its place', async (t) => {
  const bomb = '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;">]><a>&y;</a>';
  const directory = folderWith(t, {
    'dtd.wsdl': `<?xml version="1.0"?>\n${bomb}`,
    'cut.wsdl': '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/">\n <types>',
    'text.wsdl': 'no xml at all',
    'empty.wsdl': '',
    'twice.wsdl': '<a b="1"\n b="2"/>',
    'prefix.wsdl': '<p:a/>',
    'entity.wsdl': '<a>&nbsp;</a>',
    'other.wsdl': '<project/>',
    'two.wsdl': '<description xmlns="http://www.w3.org/ns/wsdl"/>',
    'page.wsdl': '<!DOCTYPE html><html><body>Log in</body></html>',
    'schema.wsdl': xsd(''),
    'bytes.wsdl': Buffer.from([0x3c, 0x61, 0xff, 0x3e]),
    'coded.wsdl': '<?xml version="1.0" encoding="EBCDIC-CP-US"?><a/>',
    'packed.wsdl': gzipSync('<a/>'),
    'packed.zip': Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x08, 0xff]),
  });
  const expected: Readonly<Record<string, object>> = {
    'dtd.wsdl': { line: 2, what: /DTD, which is refused/, remedy: /DOCTYPE/ },
    'cut.wsdl': { line: 2, what: /not well-formed/ },
    'text.wsdl': { line: 1, what: /not well-formed/ },
    'empty.wsdl': { line: 1, what: /not well-formed|empty/ },
    'twice.wsdl': { line: 1, what: /neither/ },
    'prefix.wsdl': { line: 1, what: /Unbound namespace prefix/ },
    'entity.wsdl': { line: 1, what: /not well-formed/ },
    'other.wsdl': { line: 1, column: 1, what: /neither/ },
    'two.wsdl': { line: 1, what: /WSDL 2\.0/ },
    'page.wsdl': { what: /HTML page/ },
    'schema.wsdl': { line: 1, what: /an XML Schema, not a WSDL/ },
    'bytes.wsdl': { what: /not valid utf-8/ },
    'coded.wsdl': { what: /character encoding/ },
    'packed.wsdl': { what: /an archive/, remedy: /Unpack/ },
    'packed.zip': { what: /an archive/, remedy: /Unpack/ },
    'missing.wsdl': { what: /cannot be found/ },
  };
  for (const [name, problem] of Object.entries(expected)) {
    t.match(
      await problemsOf(join(directory, name)),
      [{ file: join(directory, name), ...problem }],
      name,
    );
  }
  t.match(await problemsOf('http://h/x?wsdl'), [{ what: /from a file/ }]);
  t.match(await problemsOf('http://'), [{ what: /not a valid URL/ }]);
});

t.test('a broken document that is imported is left out with both places', async (t) => {
  const directory = folderWith(t, {
    'a.wsdl': importing(
      '<xs:import namespace="urn:u" schemaLocation="dtd.xsd"/>',
      '<xs:import namespace="urn:v" schemaLocation="dtd.xsd"/>',
    ),
    'dtd.xsd': `<!DOCTYPE x [<!ENTITY e SYSTEM "http://evil/">]>${xsd('&e;')}`,
  });
  const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
  t.match(model.warnings, [
    { file: /a\.wsdl$/, line: 7, what: /cannot be used/ },
    { file: /dtd\.xsd$/, line: 1, what: /entity/, remedy: /DTD/ },
  ]);
});

t.test('limits: documents, depth, nesting, tags, elements and bytes', async (t) => {
  const { documents, depth, elements, bytes } = IMPORT_LIMITS;
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => at);
  const including = (count: number) =>
    numbered(count).map((at) => `<xs:include schemaLocation="${at}.xsd"/>`);
  const wide = folderWith(t, {
    'a.wsdl': importing(...including(documents)),
    'most.wsdl': importing(...including(documents - 1)),
    ...Object.fromEntries(
      numbered(documents).map((at) => [`${at}.xsd`, xsd('', 'targetNamespace="urn:t"')]),
    ),
    'deep.wsdl': importing('<xs:include schemaLocation="d0.xsd"/>'),
    'deepest.wsdl': importing('<xs:include schemaLocation="d1.xsd"/>'),
    ...Object.fromEntries(
      numbered(depth + 1).map((at) => [
        `d${at}.xsd`,
        xsd(
          at === depth ? '' : `<xs:include schemaLocation="d${at + 1}.xsd"/>`,
          'targetNamespace="urn:t"',
        ),
      ]),
    ),
    'elements.wsdl': importing(`<xs:element name="x"/>${'<xs:x/>'.repeat(elements - 100)}`),
    'nested.wsdl': `${'<a>'.repeat(200)}${'</a>'.repeat(200)}`,
    'attributes.wsdl': `<a ${numbered(200_000)
      .map((at) => `b${at}=""`)
      .join(' ')}/>`,
    'namespaces.wsdl': `<a>${numbered(3000)
      .map((at) => `<b${at} xmlns:p${at}="urn:${at}">`)
      .join('')}`,
    'comment.wsdl': `<!--${'x'.repeat(1_000_000)}--><a/>`,
    'long.wsdl': Buffer.alloc(bytes + 1, 0x20),
  });
  const expected: Readonly<Record<string, object>> = {
    a: { file: /a\.wsdl$/, line: 6 + documents, what: /more than 2000 documents/ },
    deep: { file: /d31\.xsd$/, what: /deeper than 32/ },
    nested: { what: /deeper than 100/ },
    attributes: { what: /longer than allowed/ },
    namespaces: { what: /deeper than 100/ },
    comment: { what: /longer than allowed|buffer length/ },
    long: { what: /longer than allowed/ },
  };
  for (const [name, problem] of Object.entries(expected)) {
    const started = performance.now();
    t.match(await problemsOf(join(wide, `${name}.wsdl`)), [problem], name);
    t.comment(`${name}: ${Math.round(performance.now() - started)} ms`);
  }
  for (const [name, count] of [
    ['most', documents],
    ['deepest', depth + 1],
    ['elements', 1],
  ] as const) {
    t.equal(
      (await readWsdl(join(wide, `${name}.wsdl`), FILES)).documents.length,
      count,
      `${name}: at the limit`,
    );
  }
  const many = () =>
    AT_ONCE.finish(
      parseTree(
        { file: 'a.wsdl', text: `<a>${'<b/>'.repeat(10)}</a>` },
        { elements: 10 },
        () => undefined,
      ),
    );
  t.throws(many, /^a\.wsdl:1:43: .*more elements than allowed/);
});

t.test('encodings: UTF-8, UTF-16 and ISO-8859-1 by mark or declaration', async (t) => {
  const text = (encoding: string) =>
    wsdlWith({ types: schemaWith('<xs:element name="Größe" type="xs:int"/>') }).replace(
      'UTF-8',
      encoding,
    );
  const swapped = Buffer.from(`\ufeff${text('UTF-16')}`, 'utf16le').swap16();
  const directory = folderWith(t, {
    'utf-8.wsdl': `\ufeff${text('UTF-8')}`,
    'utf-16le.wsdl': Buffer.from(`\ufeff${text('UTF-16')}`, 'utf16le'),
    'utf-16be.wsdl': swapped,
    'bare-16.wsdl': Buffer.from(text('UTF-16'), 'utf16le'),
    'latin.wsdl': Buffer.from(text('ISO-8859-1'), 'latin1'),
    'claims-16.wsdl': text('utf-16'),
  });
  for (const name of ['utf-8', 'utf-16le', 'utf-16be', 'bare-16', 'latin', 'claims-16']) {
    const model = await readWsdl(join(directory, `${name}.wsdl`), FILES);
    t.ok(model.elements.has('{urn:t}Größe'), name);
    t.match(
      model.documents[0]?.segments.filter((piece) => typeof piece === 'string').join(''),
      'encoding="UTF-8"',
      name,
    );
  }
});

t.test(
  'encodings of single bytes: the names and texts of a WSDL are those of its table',
  async (t) => {
    const text = (encoding: string, name: string) =>
      Buffer.from(
        wsdlWith({ types: schemaWith(`<xs:element name="${name}" type="xs:int"/>`) }).replace(
          'UTF-8',
          encoding,
        ),
        'latin1',
      );
    const directory = folderWith(t, {
      'windows-1252.wsdl': text('windows-1252', 'Stra\xdfe\x8a'),
      'ISO-8859-16.wsdl': text('ISO-8859-16', '\xaaara'),
    });
    const named = { 'windows-1252': 'StraßeŠ', 'ISO-8859-16': 'Șara' };
    for (const [encoding, name] of Object.entries(named)) {
      const model = await readWsdl(join(directory, `${encoding}.wsdl`), FILES);
      t.ok(model.elements.has(`{urn:t}${name}`), encoding);
    }
  },
);

t.test('a WSDL from a URL: relative and absolute imports of its host, no other host', async (t) => {
  const asked: string[] = [];
  const pages: Readonly<Record<string, string>> = {
    'http://h:8080/ws/orders?wsdl': importing(
      '<xs:import namespace="urn:u" schemaLocation="?xsd=1"/>',
      '<xs:import namespace="urn:v" schemaLocation="http://h:8080/ws/orders?xsd=2"/>',
      '<xs:import namespace="urn:w" schemaLocation="http://h:9090/x.xsd"/>',
      '<xs:import namespace="urn:x" schemaLocation="http://friend/x.xsd"/>',
      '<xs:import namespace="urn:y" schemaLocation="file:///etc/passwd"/>',
      '<xs:import namespace="urn:z" schemaLocation="login.xsd"/>',
      '<xs:import namespace="urn:0" schemaLocation="gone.xsd"/>',
      '<xs:import namespace="urn:1" schemaLocation="moved.xsd"/>',
    ),
    'http://h:8080/ws/orders?xsd=1': xsd(
      '<xs:element name="u" type="xs:int"/>',
      'targetNamespace="urn:u"',
    ),
    'http://h:8080/ws/orders?xsd=2': xsd(
      '<xs:element name="v" type="xs:int"/>',
      'targetNamespace="urn:v"',
    ),
    'http://friend/x.xsd': xsd('<xs:element name="x" type="xs:int"/>', 'targetNamespace="urn:x"'),
    'http://h:8080/ws/login.xsd': '<html><body>Please log in</body></html>',
    'http://h:8080/ws/moved.xsd': xsd(''),
  };
  const fetch: FetchDocument = async (url) => {
    asked.push(url);
    const page = pages[url];
    if (page === undefined) throw new Error('cannot be fetched (the server answered 401)');
    const contentType = 'text/xml; charset=utf-8';
    return {
      url: url.endsWith('moved.xsd') ? 'http://inside/' : url,
      contentType,
      body: Buffer.from(page),
    };
  };
  const model = await readWsdl('http://h:8080/ws/orders?wsdl', {
    fetch,
    root: null,
    hosts: ['friend'],
  });
  t.strictSame(asked, [
    'http://h:8080/ws/orders?wsdl',
    'http://h:8080/ws/orders?xsd=1',
    'http://h:8080/ws/orders?xsd=2',
    'http://friend/x.xsd',
    'http://h:8080/ws/login.xsd',
    'http://h:8080/ws/gone.xsd',
    'http://h:8080/ws/moved.xsd',
  ]);
  t.ok(['{urn:u}u', '{urn:v}v', '{urn:x}x'].every((key) => model.elements.has(key)));
  t.match(model.warnings, [
    { file: 'http://h:8080/ws/orders?wsdl', line: 9, what: /leaves the host/ },
    { line: 11, what: /leaves the host.*not http/ },
    { line: 12, what: /HTML page/, remedy: /login/ },
    { line: 13, what: /answered 401/, remedy: /credentials/ },
    { line: 14, what: /redirected to another host/ },
  ]);
  const login: FetchDocument = async (url) => ({
    url,
    contentType: 'text/html',
    body: Buffer.from('\n <!DOCTYPE html><html/>'),
  });
  t.match(await problemsOf('http://h/x?wsdl', { fetch: login, root: null, hosts: [] }), [
    { file: 'http://h/x?wsdl', what: /HTML page/, remedy: /login/ },
  ]);
});

t.test('the charset of the answer counts where there is no mark', async (t) => {
  const text = wsdlWith({ types: schemaWith('<xs:element name="Größe" type="xs:int"/>') });
  const fetch: FetchDocument = async (url) => ({
    url,
    contentType: 'text/xml;charset="iso-8859-1"',
    body: Buffer.from(text, 'latin1'),
  });
  const model = await readWsdl('http://h/x?wsdl', { fetch, root: null, hosts: [] });
  t.ok(model.elements.has('{urn:t}Größe'));
});
