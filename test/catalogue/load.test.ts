import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { printSchema } from 'graphql';
import t, { type Test } from 'tap';
import { importSourceOf, NO_SOURCE_OPTIONS } from '../../src/cli/import/import-source.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import type { Diagnostic } from '../../src/core/diagnostic.js';
import { addressKind } from '../../src/upstream/address-kind.js';
import { fetchDocument } from '../../src/upstream/fetch-document.js';
import { isNearby } from '../../src/wsdl/documents/nearby.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { listen } from '../kit/listen.js';
import { useBackend, useGateway } from '../kit/use.js';
import { FILES, problemsOf, schemaWith, wsdlWith } from '../wsdl/written.js';
import { Rows } from './rows.js';

const rows = new Rows('load');

const importing = (...references: readonly string[]): string =>
  wsdlWith({
    types: schemaWith(
      references
        .map((href, at) => `<xs:import namespace="urn:n${at}" schemaLocation="${href}"/>`)
        .join('\n'),
    ),
  });
const xsd = (content = ''): string =>
  '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:n0">' +
  `${content}</xs:schema>`;

/** A folder `inside` with these files, and one more outside it. */
async function folder(t: Test, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = join(t.testdir({}), 'inside');
  await mkdir(directory);
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}

async function serve(t: Test, listener: RequestListener) {
  const server = createServer(listener);
  let connects = 0;
  server.on('connection', () => {
    connects++;
  });
  return { ...(await listen(t, server)), connects: () => connects };
}

const hasPlace = ({ file, line, column }: Diagnostic): boolean =>
  file !== null && line !== null && column !== null;

t.test('C01: documents from the network', async (t) => {
  const other = await serve(t, (_, response) => response.end(xsd()));
  const home = await serve(t, (_, response) => response.end(importing(`${other.url}/x.xsd`)));
  rows.answer('C01', 'a WSDL in a file names a URL');
  const directory = await folder(t, { 'a.wsdl': importing(`${other.url}/x.xsd`) });
  const file = join(directory, 'a.wsdl');
  const fromFile = await readWsdl(file, await importSourceOf(file, NO_SOURCE_OPTIONS, {}));
  t.match(fromFile.warnings, [{ what: /names a URL/ }]);
  t.ok(fromFile.warnings.every(hasPlace));

  rows.answer('C01', 'a WSDL of one host names another host');
  const location = `${home.url}/a.wsdl`;
  const fromUrl = await readWsdl(location, await importSourceOf(location, NO_SOURCE_OPTIONS, {}));
  t.match(fromUrl.warnings, [{ what: /leaves the host/ }]);
  t.ok(fromUrl.warnings.every(hasPlace));
  t.equal(other.connects(), 0);

  rows.answer('C01', 'the host is allow-listed');
  const allowed = { ...NO_SOURCE_OPTIONS, allowHosts: [`127.0.0.1:${other.port}`] };
  t.equal(
    (await readWsdl(location, await importSourceOf(location, allowed, {}))).documents.length,
    2,
  );
  t.equal(other.connects(), 1);
});

t.test('C02: files outside the folder', async (t) => {
  const directory = await folder(t, {});
  await writeFile(join(directory, '../secret.xsd'), xsd());
  await symlink(join(directory, '../secret.xsd'), join(directory, 'link.xsd'));
  for (const [name, href] of [
    ['a file URL', 'file:///etc/passwd'],
    ['an absolute path', join(directory, '../secret.xsd')],
    ['a path that climbs', '../secret.xsd'],
    ['a symbolic link', 'link.xsd'],
  ] as const) {
    rows.answer('C02', name);
    await writeFile(join(directory, 'a.wsdl'), importing(href));
    const model = await readWsdl(join(directory, 'a.wsdl'), FILES);
    t.equal(model.documents.length, 1, name);
    t.ok(model.warnings.length === 1 && model.warnings.every(hasPlace), name);
  }
});

t.test('C02: files around the folder of a WSDL that is imported', async (t) => {
  const main = join('estate', 'a', 'b', 'c', 'd', 'e', 'a.wsdl');
  const directory = await folder(t, {});
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  };
  await put('estate/a/types/t.xsd', xsd());
  await put('estate/far.xsd', xsd());
  await put('elsewhere/s.xsd', xsd());
  await put('estate/a/b/.ssh/id', xsd());
  await put('estate/a/b/.git/config', xsd());
  await put('estate/a/b/notes.txt', xsd());
  await put('estate/a/b/web.config.xml', '<configuration password="hunter2"/>');
  await put('estate/a/b/keys', 'password=hunter2');
  await put('estate/a/b/keys.xsd', '<secret token="hunter2"/>');
  await put('estate/a/b/keys.xml', '<secret token="hunter2"/>');
  await put('estate/a/b/broken.xsd', '<xs:schema><hunter2></xs:schema>');
  await put(main, '');
  await symlink(join(directory, 'elsewhere/s.xsd'), join(directory, 'estate/a/link.xsd'));
  await symlink(join(directory, 'elsewhere'), join(directory, 'estate/a/linked'));
  const read = async (...references: readonly string[]) => {
    const file = join(directory, main);
    await writeFile(file, importing(...references));
    return readWsdl(file, await importSourceOf(file, NO_SOURCE_OPTIONS, {}));
  };
  const nearby = await read('../../../../types/t.xsd');
  rows.answer('C02', 'import: a schema of the tree around the WSDL');
  t.equal(nearby.documents.length, 2);
  t.match(nearby.warnings, [{ what: /they were read from \S+estate\/a\.$/ }]);

  await put('estate/a/b/t.xml', xsd());
  rows.answer('C02', 'import: a schema of the tree that is called .xml');
  t.equal((await read('../../../t.xml')).documents.length, 2);

  const up = '../'.repeat(40);
  for (const [name, ...hrefs] of [
    ['import: a path that climbs to /etc/passwd', `${up}etc/passwd`, `${up}etc/hosts`],
    ['import: a symbolic link out of the tree', '../../../../link.xsd'],
    ['import: a link to a folder outside the tree', '../../../../linked/s.xsd'],
    ['import: .ssh and .git beside the WSDL', '../../../.ssh/id', '../../../.git/config'],
    ['import: five levels above the WSDL', '../../../../../far.xsd'],
    ['import: a file of another extension', '../../../notes.txt'],
    [
      'import: a file that is no schema by its content',
      '../../../keys',
      '../../../keys.xsd',
      '../../../keys.xml',
      '../../../web.config.xml',
      '../../../broken.xsd',
    ],
  ] as const) {
    rows.answer('C02', name);
    for (const href of hrefs) {
      const model = await read(href);
      t.equal(model.documents.length, 1, href);
      t.ok(model.warnings.length === 1 && model.warnings.every(hasPlace), href);
      t.notMatch(JSON.stringify(model.warnings), /hunter2|root:/, href);
    }
  }

  rows.answer('C02', 'import: a file in a home directory');
  t.notOk(isNearby('/home/jo/w', '/home/jo/x.xsd', '/home/jo'));
  t.notOk(isNearby('/home/jo/w', '/home/al/x.xsd', '/home/jo'));
});

t.test('C02: a URL whose file lies beside the WSDL', async (t) => {
  const other = await serve(t, (_, response) => response.end(xsd()));
  const directory = await folder(t, { 'x.xsd': xsd() });
  const file = join(directory, 'a.wsdl');
  const read = async (text: string) => {
    await writeFile(file, text);
    return readWsdl(file, await importSourceOf(file, NO_SOURCE_OPTIONS, {}));
  };
  rows.answer('C02', 'a URL whose file lies beside the WSDL');
  const taken = await read(importing(`${other.url}/schemas/x.xsd`));
  t.equal(taken.documents.length, 2);
  t.match(taken.warnings, [{ what: /names a URL.*x\.xsd of the same name is read in its place/ }]);
  t.ok(taken.warnings.every(hasPlace));

  rows.answer('C02', 'a file of the same name with another namespace');
  const left = await read(importing('y.xsd', `${other.url}/x.xsd`).replace('y.xsd', 'x.xsd'));
  t.equal(left.documents.length, 2, 'known already, and another namespace');
  t.match(left.warnings, [{ what: /names a URL\.$/ }]);
  const unread = await read(importing(`${other.url}/x.xsd`).replace('urn:n0', 'urn:else'));
  t.equal(unread.documents.length, 1);
  t.match(unread.warnings, [{ what: /names a URL\.$/ }]);

  rows.answer('C02', 'a file of the same name in one folder beside the WSDL');
  await mkdir(join(directory, 'one'));
  await writeFile(join(directory, 'one/z.xsd'), xsd());
  t.equal((await read(importing(`${other.url}/z.xsd`))).documents.length, 2);
  rows.answer('C02', 'files of the same name in two folders beside the WSDL');
  await mkdir(join(directory, 'two'));
  await writeFile(join(directory, 'two/z.xsd'), xsd());
  const unsure = await read(importing(`${other.url}/z.xsd`));
  t.equal(unsure.documents.length, 1);
  t.match(unsure.warnings, [{ what: /names a URL\.$/ }]);
  t.equal(other.connects(), 0);
});

t.test('C03: addresses behind names', async (t) => {
  const server = await serve(t, (request, response) => {
    if (request.url === '/away')
      response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end();
    else response.end(xsd());
  });
  const limits = { maxBytes: 1000, timeoutMillis: 5000 };
  const checkAddress = (ip: string): string | null =>
    addressKind(ip) === 'public' ? null : `${addressKind(ip)} address`;
  rows.answer('C03', 'a redirect to a link-local address');
  await t.rejects(fetchDocument(`${server.url}/away`, limits), /not followed/);

  rows.answer('C03', 'a name that means another address the second time');
  let resolutions = 0;
  const rebinding = async () => [
    { address: resolutions++ === 0 ? '127.0.0.1' : '93.184.216.34', family: 4 },
  ];
  await t.rejects(
    fetchDocument(`http://rebind.example:${server.port}/`, {
      ...limits,
      checkAddress,
      resolve: rebinding,
    }),
    /loopback/,
  );
  t.equal(resolutions, 1);

  rows.answer('C03', 'a name with an inside address among others');
  const mixed = async () =>
    ['93.184.216.34', '10.0.0.1'].map((address) => ({ address, family: 4 }));
  await t.rejects(
    fetchDocument('http://mixed.example/', { ...limits, checkAddress, resolve: mixed }),
    /private/,
  );

  rows.answer('C03', 'an address in another spelling');
  const before = server.connects();
  for (const host of [
    '0x7f000001',
    '2130706433',
    '[::ffff:127.0.0.1]',
    '127.1',
    '169.254.169.254',
    '[::]',
    '0',
  ]) {
    const work = fetchDocument(`http://${host}:${server.port}/`, { ...limits, checkAddress });
    await t.rejects(work, /loopback|link-local|special/, host);
  }
  t.equal(server.connects(), before);

  rows.answer('C03', 'a name whose address was judged');
  const validated: string[] = [];
  const found = await fetchDocument(`http://pinned.example:${server.port}/`, {
    ...limits,
    checkAddress(ip) {
      validated.push(ip);
      return null;
    },
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  t.equal(found.body.toString(), xsd());
  t.same(validated, ['127.0.0.1']);
});

t.test('C04: DTDs', async (t) => {
  const bomb =
    '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">' +
    '<!ENTITY z "&y;&y;&y;">]><a>&z;</a>';
  for (const [name, text] of [
    ['a DTD', '<!DOCTYPE a><a/>'],
    ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['entities that multiply', bomb],
  ] as const) {
    rows.answer('C04', name);
    const directory = await folder(t, { 'a.wsdl': text });
    const problems = await problemsOf(join(directory, 'a.wsdl'));
    t.match(problems, [{ what: /DTD, which is refused/ }], name);
    t.ok(problems.every(hasPlace));
  }
  rows.answer('C04', 'a DTD in a schema that is imported');
  const directory = await folder(t, {
    'a.wsdl': importing('b.xsd'),
    'b.xsd': `<!DOCTYPE a SYSTEM "http://evil/">${xsd()}`,
  });
  const { warnings, documents } = await readWsdl(join(directory, 'a.wsdl'), FILES);
  t.match(warnings, [{ file: /b\.xsd$/, what: /DTD, which is not read/ }]);
  t.equal(documents.length, 2, 'read without it, as those of the W3C come with one');
});

t.test('C05: too much', async (t) => {
  rows.answer('C05', 'a cycle of imports');
  const cycle = await folder(t, {
    'a.wsdl': importing('b.xsd', 'c.xsd'),
    'b.xsd': xsd('<xs:include schemaLocation="c.xsd"/><xs:include schemaLocation="b.xsd"/>'),
    'c.xsd': xsd('<xs:include schemaLocation="b.xsd"/>'),
  });
  t.equal((await readWsdl(join(cycle, 'a.wsdl'), FILES)).documents.length, 3);

  rows.answer('C05', '10,000 imports');
  let asked = 0;
  const numbered = Array.from({ length: 10_000 }, (_, at) => `http://h/${at}.xsd`);
  const fetch = async (url: string) => {
    asked++;
    return {
      url,
      contentType: null,
      body: Buffer.from(url.endsWith('wsdl') ? importing(...numbered) : xsd()),
    };
  };
  t.match(await problemsOf('http://h/a?wsdl', { fetch, root: null, hosts: [] }), [
    { what: /more than 2000 documents/ },
  ]);
  t.ok(asked <= 2001);

  rows.answer('C05', 'a WSDL of 100 MB');
  const file = await open(join(cycle, 'big.wsdl'), 'w');
  await file.truncate(100_000_000);
  await file.close();
  const before = process.memoryUsage().rss;
  t.match(await problemsOf(join(cycle, 'big.wsdl')), [{ what: /longer than allowed/ }]);
  t.ok(process.memoryUsage().rss - before < 50_000_000, 'and not read for it');

  rows.answer('C05', 'a chain of imports');
  const chain = async (url: string) => {
    const at = Number(/(\d+)\.xsd$/.exec(url)?.[1] ?? -1);
    const next = `${at + 1}.xsd`;
    const text = at < 0 ? importing(next) : xsd(`<xs:include schemaLocation="${next}"/>`);
    return { url, contentType: null, body: Buffer.from(text) };
  };
  const deep = await problemsOf('http://h/a?wsdl', { fetch: chain, root: null, hosts: [] });
  t.match(deep, [{ what: /deeper than 32 levels/ }]);
});

t.test('C08: the address in the WSDL', async (t) => {
  rows.answer('C08', 'the address in the WSDL is another host');
  const inside = await serve(t, (_, response) => response.end());
  const backend = await useBackend(
    t,
    answerWith(envelope('<GetResponse xmlns="urn:t">yes</GetResponse>')),
  );
  const service =
    '<service name="S"><port name="P" binding="t:B">' +
    `<soap:address location="${inside.url}/internal"/></port></service>`;
  const directory = await folder(t, { 'a.wsdl': wsdlWith({ service }) });
  const gateway = await useGateway(
    t,
    `services: { a: { wsdl: a.wsdl, url: "${backend.url}" } }\n`,
    directory,
  );
  const graphql = await postGraphql(gateway.url, { query: '{ get(id: 1) }' });
  t.match(await graphql.text(), '{"data":{"get":"yes"}');
  t.equal(backend.complete.length, 1, 'the backend of the configuration is called');
  const shown = await (await fetch(`${gateway.url}/soap/a?wsdl`)).text();
  t.notMatch(shown, `:${inside.port}`);
  t.equal(inside.connects(), 0);
});

t.test('C09: names', async (t) => {
  const compiled = async (wsdl: string) => {
    const directory = await folder(t, {
      'a.wsdl': wsdl,
      'soapstone.yaml': 'services: { a: { wsdl: a.wsdl, url: "http://127.0.0.1:1/" } }\n',
    });
    const made = await compile(await loadConfig(join(directory, 'soapstone.yaml'), {}));
    await made.close();
    return made;
  };
  const operations = (names: readonly string[]) => ({
    portType:
      `<portType name="P">${names
        .map(
          (name) => `<operation name="${name}"><input message="t:In"/>\
<output message="t:Out"/></operation>`,
        )
        .join('')}` + '</portType>',
    binding:
      '<binding name="B" type="t:P"><soap:binding/>' +
      `${names.map((name) => `<operation name="${name}"/>`).join('')}</binding>`,
  });
  const colliding = wsdlWith(operations(['GetIt', 'getIt', 'Get-It', 'get_it']));
  rows.answer('C09', 'names that become the same');
  const first = await compiled(colliding);
  const fields = [...first.graph.fields].map(
    ([field, { operation }]) => `${field} ${operation.name}`,
  );
  t.equal(fields.length, 4, fields.join());
  t.equal(new Set(fields.map((field) => field.split(' ')[0])).size, 4);
  t.ok(first.warnings.length > 0, 'reported');
  t.equal(printSchema((await compiled(colliding)).graph.schema), printSchema(first.graph.schema));

  rows.answer('C09', 'names that GraphQL keeps for itself');
  const reserved = await compiled(wsdlWith(operations(['__schema', '__proto__', 'constructor'])));
  t.equal(reserved.graph.fields.size, 3);
  t.ok([...reserved.graph.fields.keys()].every((field) => !field.includes('.__')));

  rows.answer('C09', '10,000 operations');
  const cost = async (count: number): Promise<number> => {
    const text = wsdlWith(operations(Array.from({ length: count }, (_, at) => `GetNumber${at}`)));
    const before = process.cpuUsage();
    t.equal((await compiled(text)).graph.fields.size, count);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  await cost(1000);
  const [small, large] = [await cost(1000), await cost(10_000)];
  t.comment(`1,000 operations: ${Math.round(small)} ms of CPU; 10,000: ${Math.round(large)} ms`);
  t.ok(large < small * 30, 'linear, with room for noise');
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
