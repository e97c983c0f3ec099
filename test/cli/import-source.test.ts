import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { importWsdl } from '../../src/cli/import/import.js';
import {
  importSourceOf,
  NO_SOURCE_OPTIONS,
  type SourceOptions,
} from '../../src/cli/import/import-source.js';
import { loadConfig } from '../../src/config/load.js';
import { printDiagnostic } from '../../src/core/diagnostic.js';
import { addressKind } from '../../src/upstream/address-kind.js';
import { fetchDocument } from '../../src/upstream/fetch-document.js';
import type { RecordingBackend } from '../kit/backend.js';
import { Authority } from '../kit/certificates.js';
import { recordedTerminal } from '../kit/command.js';
import { diagnosticsOf } from '../kit/configuration.js';
import { useBackend, useFolder } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

const VARIABLE = (name: string): string => `$${`{${name}}`}`;
const ENVIRONMENT = { PASSWORD: 'pa:ss', TOKEN: 'abc', BROKEN: 'a\r\nb: c' };

/** A server that remembers what it was asked, with the credentials. */
async function startServer(test: Test, answer: RecordingBackend['answer']) {
  const backend = await useBackend(test, answer);
  const asked = () =>
    backend.complete.map(({ target, headers }) => `${target} ${headers['authorization'] ?? '-'}`);
  return { backend, asked, port: new URL(backend.url).port, url: backend.url };
}

const source = (location: string, options: Partial<SourceOptions>) =>
  importSourceOf(location, { ...NO_SOURCE_OPTIONS, ...options }, ENVIRONMENT);

async function problemOf(work: Promise<unknown>): Promise<string> {
  const found = await diagnosticsOf(work);
  return found.length === 0 ? 'no problem' : found.map(printDiagnostic).join('\n');
}

const importing = (...references: readonly string[]) =>
  wsdlWith({
    types: schemaWith(
      references
        .map((href, at) => `<xs:import namespace="urn:n${at}" schemaLocation="${href}"/>`)
        .join('\n'),
    ),
  });
const XSD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:n0"/>';

async function run(location: string, options: Partial<SourceOptions>) {
  const directory = join(await useFolder(t), 'new');
  const { printed, ...terminal } = recordedTerminal();
  const all = { directory, name: null, ports: [], json: false, force: false };
  await importWsdl(location, { ...all, source: { ...NO_SOURCE_OPTIONS, ...options } }, terminal);
  return { output: printed.lines.join('\n'), directory };
}

t.test(
  'a backend at the host of the WSDL gets what the WSDL was fetched with, ' +
    'a backend elsewhere does not',
  async (t) => {
    process.env['SOAPSTONE_TEST_PASSWORD'] = 'pa:ss';
    t.teardown(() => delete process.env['SOAPSTONE_TEST_PASSWORD']);
    const wsdl = importing('?xsd=1', '?xsd=2');
    const home = await startServer(t, ({ target, headers }, response) => {
      const own = wsdl.replace('http://internal.example', `http://${headers['host']}`);
      response.end(target === '/own?wsdl' ? own : target === '/other?wsdl' ? wsdl : XSD);
    });
    const options = {
      user: `joe:${VARIABLE('SOAPSTONE_TEST_PASSWORD')}`,
      headers: [
        'X-Tenant: a "b" #c',
        `X-Api-Key: k-${VARIABLE('SOAPSTONE_TEST_PASSWORD')}`,
        'Accept: text/xml',
      ],
    };
    const own = join((await run(`${home.url}/own?wsdl`, options)).directory, 'soapstone.yaml');
    t.notMatch(await readFile(own, 'utf8'), 'pa:ss');
    const service = Object.values(
      (await loadConfig(own, { SOAPSTONE_TEST_PASSWORD: 'other' })).config.services,
    )[0];
    t.match(service, { auth: { basic: { username: 'joe', password: 'other' } } });
    t.strictSame({ ...service?.headers }, { 'x-tenant': 'a "b" #c', 'x-api-key': 'k-other' });
    const elsewhere = join(
      (await run(`${home.url}/other?wsdl`, options)).directory,
      'soapstone.yaml',
    );
    t.match(await readFile(elsewhere, 'utf8'), 'The credentials of the WSDL are for its own host');
    t.equal(Object.values((await loadConfig(elsewhere, {})).config.services)[0]?.auth, undefined);
  },
);

t.test(
  'credentials go with the WSDL and every schema of its host, and to no other host',
  async (t) => {
    const other = await startServer(t, (_, response) => response.end(XSD));
    const home = await startServer(t, ({ target, headers }, response) => {
      if (headers['authorization'] === undefined) response.writeHead(401).end();
      else if (target === '/a?wsdl') response.end(importing('?xsd=1', `${other.url}/x.xsd`));
      else response.end(XSD);
    });
    const file = join(await useFolder(t, { user: 'joe:pa:ss\n' }), 'user');
    const basic = `Basic ${Buffer.from('joe:pa:ss').toString('base64')}`;
    process.env['SOAPSTONE_TEST_PASSWORD'] = 'pa:ss';
    t.teardown(() => delete process.env['SOAPSTONE_TEST_PASSWORD']);
    for (const credentials of [
      { userFile: file },
      { user: `joe:${VARIABLE('SOAPSTONE_TEST_PASSWORD')}` },
      { headers: [`Authorization: ${basic.slice(0, 6)}${VARIABLE('SOAPSTONE_TEST_BASIC')}`] },
    ]) {
      process.env['SOAPSTONE_TEST_BASIC'] = basic.slice(6);
      for (const { backend } of [home, other]) backend.complete.length = 0;
      const { output, directory } = await run(`${home.url}/a?wsdl`, {
        ...credentials,
        allowHosts: ['127.0.0.1'],
      });
      t.strictSame(home.asked(), [`/a?wsdl ${basic}`, `/a?xsd=1 ${basic}`]);
      t.strictSame(other.asked(), ['/x.xsd -'], 'allowed as it is written, and told nothing');
      for (const name of ['soapstone.yaml', 'import-report.json', 'a.wsdl']) {
        t.notMatch(
          await readFile(join(directory, name), 'utf8'),
          /pa:ss|am9lOnBhOnNz/,
          `${name} holds no secret`,
        );
      }
      t.notMatch(output, /pa:ss|am9lOnBhOnNz/);
    }
    delete process.env['SOAPSTONE_TEST_BASIC'];
    t.match(
      await problemOf(run(`${home.url}/a?wsdl`, {})),
      /answered 401.*with --user or --header/,
    );
  },
);

t.test('secrets come from variables and files, and are named when they are missing', async (t) => {
  const refusal = (options: Partial<SourceOptions>, location = 'http://h/x') =>
    problemOf(source(location, options));
  t.match(
    await refusal({ user: 'joe' }),
    /^The user of --user has no password\. Write 'NAME:\$\{PASSWORD\}'/,
  );
  t.match(
    await refusal({ user: 'joe:secret' }),
    /^The password of --user stands on the command line\..*--user-file/,
  );
  t.match(
    await refusal({ user: `joe:${VARIABLE('NOPE')}` }),
    'The environment variable NOPE is not set.',
  );
  t.match(
    await refusal({ headers: ['Authorization: Bearer abc'] }),
    /^The value of the header Authorization stands/,
  );
  t.match(await refusal({ headers: ['X-Api-Key: abc'] }), /X-Api-Key stands on the command line/);
  t.match(await refusal({ headers: ['nothing'] }), /is not `Name: value`/);
  t.match(await refusal({ headers: ['Host: inside'] }), 'The header Host cannot be set.');
  t.match(
    await refusal({ headers: [`X-A: ${VARIABLE('BROKEN')}`] }),
    /holds characters that no header may/,
  );
  t.match(
    await refusal({ userFile: '/none/gone' }),
    /gone: The file of --user-file cannot be read/,
  );
  t.match(await refusal({ userFile: '/dev/null' }), /not `name:password`/);
  t.match(
    await refusal({ user: `j:${VARIABLE('TOKEN')}`, userFile: 'x' }),
    /Both --user and --user-file/,
  );
  const typed = await refusal({}, 'http://joe:secret@h/x');
  t.match(typed, /^The address holds credentials.*--user/);
  t.notMatch(typed, 'secret');
  t.equal(await refusal({ headers: ['X-Stage: test'] }), 'no problem');
});

t.test(
  'C03: other hosts are allowed by name, and their addresses validated after resolution',
  async (t) => {
    let calls = 0;
    const server = await startServer(t, (_, response) => response.end(XSD));
    const { fetch } = await source('http://home.example/a?wsdl', {
      allowHosts: ['friend.example', 'localhost'],
    });
    if (fetch === null) throw new Error('no fetcher');
    await t.rejects(
      fetch(`http://localhost:${server.port}/`),
      /has a loopback address, which --allow-private would/,
    );
    const wider = await source('http://home.example/', {
      allowHosts: ['localhost'],
      allowPrivate: true,
    });
    t.match(await wider.fetch?.(`http://localhost:${server.port}/`), { contentType: null });
    t.equal(server.asked().length, 1, 'the refused one made no connection');

    // A name that is public when it is checked and inside when it is called: there is one
    // resolution only.
    const checkAddress = (ip: string): string | null =>
      addressKind(ip) === 'public' ? null : `${addressKind(ip)}`;
    const rebinding = async () => {
      calls += 1;
      return [{ address: calls === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }];
    };
    const options = { maxBytes: 1000, timeoutMillis: 5000, checkAddress, resolve: rebinding };
    await t.rejects(fetchDocument(`http://rebind.example:${server.port}/`, options), /loopback/);
    t.equal(calls, 1);
    const mixed = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ];
    await t.rejects(
      fetchDocument('http://mixed.example/', { ...options, resolve: mixed }),
      /link-local/,
    );
    const pinned = async () => [{ address: '127.0.0.1', family: 4 }];
    const found = await fetchDocument(`http://name.example:${server.port}/`, {
      ...options,
      checkAddress: () => null,
      resolve: pinned,
    });
    t.equal(found.body.toString(), XSD, 'the connection goes to the address that was validated');
    for (const host of [
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '[::ffff:127.0.0.1]',
      '[::1]',
      '169.254.169.254',
    ]) {
      await t.rejects(
        fetchDocument(`http://${host}:${server.port}/`, options),
        /loopback|link-local/,
        host,
      );
    }
    t.equal(server.asked().length, 2);
  },
);

t.test('C03: addresses in every spelling', (t) => {
  const kinds = {
    loopback: ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '[::1]'],
    'link-local': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', '::ffff:a9fe:a9fe'],
    private: [
      '10.0.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      'fd00::1',
      '::ffff:10.1.1.1',
    ],
    special: [
      '0.0.0.0',
      '::',
      '255.255.255.255',
      '224.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '::127.0.0.1',
      'ff02::1',
      'x',
    ],
    public: ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'],
  };
  for (const [kind, addresses] of Object.entries(kinds)) {
    for (const address of addresses) t.equal(addressKind(address), kind, address);
  }
  t.end();
});

t.test('redirects stay on the host; what is no document is named', async (t) => {
  const server = await startServer(t, ({ target }, response) => {
    const to = (location: string) => response.writeHead(302, { location }).end();
    if (target === '/moved') to('/a?wsdl');
    else if (target === '/away') to('http://169.254.169.254/latest');
    else if (target === '/port') to('http://127.0.0.1:1/');
    else if (target === '/file') to('file:///etc/passwd');
    else if (target === '/loop') to('/loop');
    else if (target === '/none') response.writeHead(302).end();
    else if (target === '/zip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(XSD));
    else if (target === '/bomb')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1e6)));
    else if (target === '/odd') response.writeHead(200, { 'content-encoding': 'zstd' }).end('x');
    else if (target === '/cut')
      response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy());
    else if (target === '/slow') response.writeHead(200).write('x');
    else if (target === '/login') response.end('<!DOCTYPE html><html/>');
    else if (target === '/403') response.writeHead(403).end();
    else if (target === '/407') response.writeHead(407).end();
    else response.end(importing());
  });
  const get = (path: string, timeoutMillis = 5000) =>
    fetchDocument(`${server.url}${path}`, { maxBytes: 10_000, timeoutMillis });
  t.equal((await get('/moved')).url, `${server.url}/a?wsdl`);
  t.equal((await get('/zip')).body.toString(), XSD);
  for (const [path, message] of [
    ['/away', /redirects to http:\/\/169\.254\.169\.254, which is not followed/],
    ['/port', /redirects to http:\/\/127\.0\.0\.1:1, which is not followed/],
    ['/file', /not followed/],
    ['/loop', /more than 5 redirects/],
    ['/none', /no valid address/],
    ['/bomb', /longer than 10000 bytes/],
    ['/odd', /compressed in a way/],
    ['/cut', /cannot be fetched/],
  ] as const) {
    await t.rejects(get(path), message, path);
  }
  await t.rejects(get('/slow', 50), /no complete answer in time/);
  t.match(await problemOf(run(`${server.url}/login`, {})), /HTML page.*credentials/);
  t.match(await problemOf(run(`${server.url}/403`, {})), /answered 403.*request is forbidden/);
  t.match(await problemOf(run(`${server.url}/407`, {})), /answered 407.*proxy/);
  t.match(await problemOf(run(`${server.url}/away`, {})), /Give the final address/);
});

t.test(
  'documents of one host come over one connection, also when it was closed meanwhile',
  async (t) => {
    const connections = new Set<unknown>();
    let answers = 0;
    const { url } = await useBackend(t, (_, response) => {
      const { socket } = response;
      connections.add(socket);
      answers += 1;
      // Says that it stays open, and closes all the same.
      if (answers === 3) response.on('finish', () => setImmediate(() => socket?.destroy()));
      response.end(XSD);
    });
    const { fetch } = await source(`${url}/`, {});
    for (let at = 0; at < 6; at++) t.equal((await fetch?.(`${url}/${at}`))?.body.toString(), XSD);
    t.ok(connections.size <= 3, `${connections.size} connections`);
  },
);

t.test('a WSDL in a file may get documents from hosts that are allowed', async (t) => {
  const server = await startServer(t, ({ target }, response) =>
    response.end(
      target === '/x.xsd'
        ? XSD.replace(
            '/>',
            '><xs:include schemaLocation="y.xsd"/>' +
              '<xs:include schemaLocation="file:///etc/passwd"/></xs:schema>',
          )
        : XSD,
    ),
  );
  const folder = await useFolder(t, { 'local.wsdl': importing(`${server.url}/x.xsd`) });
  const file = join(folder, 'local.wsdl');
  const closed = await run(file, {});
  t.match(closed.output, /names a URL/);
  t.equal(server.asked().length, 0, 'nothing is fetched unless it was allowed');
  const { output } = await run(file, { allowHosts: [`127.0.0.1:${server.port}`] });
  t.strictSame(server.asked(), ['/x.xsd -', '/y.xsd -'], output);
  t.match(output, /leaves the host/);
  const other = await run(file, { allowHosts: ['127.0.0.1:1'] });
  t.match(other.output, /leaves the host.*--allow-host/);
});

const NO_ROUTE = { proxy: null, ca: null, cert: null, key: null, passphrase: null };

t.test(
  'a WSDL behind TLS with a private authority and a client certificate, ' +
    'written to the configuration',
  async (t) => {
    const folder = t.testdir({});
    const authority = new Authority(folder);
    const [server, client] = [authority.sign('localhost'), authority.sign('gateway')];
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const ca = await file('ca-file.pem', authority.ca.cert);
    const [cert, key] = [await file('c.pem', client.cert), await file('k.pem', client.key)];
    const names: string[] = [];
    const tls = { ...server, ca: authority.ca.cert, requestCert: true };
    const backend = createSecureServer(tls, ({ url, socket }, response) => {
      names.push(socket instanceof TLSSocket ? String(socket.getPeerCertificate().subject.CN) : '');
      const { port } = backend.address() as AddressInfo;
      const wsdl = importing('a.xsd').replaceAll(
        'http://internal.example/get',
        `https://127.0.0.1:${port}/ws`,
      );
      response.end(url === '/a.xsd' ? XSD : wsdl);
    });
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    t.teardown(() => backend.close());
    const url = `https://127.0.0.1:${(backend.address() as AddressInfo).port}/x.wsdl`;
    t.match(await problemOf(run(url, {})), /cannot be fetched/);
    t.match(
      await problemOf(run(url, { route: { ...NO_ROUTE, ca } })),
      /cannot be fetched/,
      'without the certificate',
    );
    const { directory } = await run(url, { route: { ...NO_ROUTE, ca, cert, key } });
    t.strictSame(names, ['gateway', 'gateway']);
    const config = await loadConfig(join(directory, 'soapstone.yaml'), {});
    const [service] = Object.values(config.config.services);
    t.match(service?.tls, {
      ca: authority.ca.cert.trim(),
      cert: client.cert.trim(),
      key: client.key.trim(),
    });
    t.match(
      await problemOf(run(url, { route: { ...NO_ROUTE, cert } })),
      /--cert and --key belong together/,
    );
    t.match(
      await problemOf(run(url, { route: { ...NO_ROUTE, ca: join(folder, 'none') } })),
      /--ca cannot be read/,
    );
    t.match(
      await problemOf(run(url, { route: { ...NO_ROUTE, ca, cert, key: ca } })),
      /cannot be used/,
    );
  },
);

t.test('a WSDL behind a proxy', async (t) => {
  const proxy = await useBackend(t, (_, response) => response.end(importing()));
  const { host } = new URL(proxy.url);
  const by = (address: string) => ({ route: { ...NO_ROUTE, proxy: address } });
  const read = await source(
    'http://wsdl.example/x.wsdl',
    by(`http://u:${VARIABLE('TOKEN')}@${host}`),
  );
  await read.fetch?.('http://wsdl.example/x.wsdl');
  t.match(proxy.complete, [
    { target: 'http://wsdl.example/x.wsdl', headers: { 'proxy-authorization': 'Basic dTphYmM=' } },
  ]);
  process.env['http_proxy'] = proxy.url;
  process.env['no_proxy'] = '127.0.0.1,localhost';
  t.teardown(() => {
    delete process.env['http_proxy'];
    delete process.env['no_proxy'];
  });
  const direct = await startServer(t, (_request, response) => response.end(importing()));
  const named = await source(`${direct.url}/x.wsdl`, {
    ...by('environment'),
    allowHosts: ['localhost'],
  });
  await named.fetch?.(`${direct.url}/x.wsdl`);
  t.equal(direct.asked().length, 1, 'a host that the environment leaves out is asked directly');
  await t.rejects(
    async () => named.fetch?.(`http://localhost:${direct.port}/a.xsd`),
    /loopback address/,
    'and checked',
  );
  await named.fetch?.('http://other.example/a.xsd');
  t.equal(proxy.complete.length, 2);
  t.match(
    await problemOf(source('http://h/x', by('http://u:secret@p:1'))),
    /--proxy stands on the command line/,
  );
  t.match(await problemOf(source('http://h/x', by('socks://p:1'))), /no address of a proxy/);
  const typed = { route: { ...NO_ROUTE, passphrase: 'secret' } };
  t.match(await problemOf(source('http://h/x', typed)), /--passphrase stands on the command line/);
});
