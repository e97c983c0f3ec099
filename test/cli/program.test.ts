import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { diagnosticLine } from '../../src/cli/table.js';
import { REFUSAL_CODES } from '../../src/config/refusal-tables.js';
import { answerWith } from '../kit/backend.js';
import { runCommand } from '../kit/command.js';
import { freePort } from '../kit/free-port.js';
import { killAtExit, MAIN } from '../kit/gateway-process.js';
import { askGraphql, postGraphql } from '../kit/graphql-client.js';
import { useBackend } from '../kit/use.js';
import { wsdlWith } from '../wsdl/written.js';

const WSDL = resolve('config/demo/legacy.wsdl');
const ANY_PORTS = 'listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\n';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Gathers what a process writes until it ends. */
async function end(child: ChildProcess): Promise<Ended> {
  let out = '';
  let error = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    error += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, error };
}

/**
 * Without the test runner's hooks: they would double the time that every process needs to start.
 */
const ENVIRONMENT = { PATH: process.env['PATH'] };

/** A process of its own, which does not outlive this one. */
function soapstone(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...args], { env: ENVIRONMENT });
  t.teardown(() => child.kill('SIGKILL'));
  killAtExit(child);
  return child;
}

/** In this process, which is a second faster each time. */
async function run(...args: string[]): Promise<Ended> {
  const { code, out, error } = await runCommand(...args);
  const ended = (text: string): string => (text === '' ? '' : `${text}\n`);
  return { code, out: ended(out), error: ended(error) };
}

t.test('exit codes and texts', async (t) => {
  const directory = t.testdir({
    'good.yaml': `services: { orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ } }`,
    'bad.yaml': 'lisen: x\nservices: { a: { wsdl: w, url: nowhere } }',
    'heard.yaml': `services: { orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ } }
subscriptions: { done: { on: { operation: orders.X, fields: { x: reply.x } } } }`,
    'useless.wsdl': wsdlWith({
      portType:
        '<portType name="P"><operation name="Get"><input message="t:Gone"/></operation></portType>',
      binding: '<binding name="B" type="t:P"><soap:binding/><operation name="Get"/></binding>',
    }),
    'lost.yaml': 'services: { a: { wsdl: absent.wsdl, url: http://127.0.0.1:1/ } }',
  });
  const at = (name: string): string => join(directory, name);

  t.test('a good configuration is fine', async (t) => {
    const { code, out, error } = await run('check', '-c', at('good.yaml'));
    t.equal(code, 0);
    t.match(
      out,
      /good\.yaml is fine: 1 service, \d+ operations, \d+ GraphQL fields, \d+ warnings?\.\n$/,
    );
    t.equal(error, '');
  });

  t.test('what is wrong comes out line by line, without a stack trace', async (t) => {
    const { code, out, error } = await end(soapstone('check', '-c', at('bad.yaml')));
    t.equal(code, 2);
    t.equal(out, '');
    t.same(error.trimEnd().split('\n'), [
      `${at('bad.yaml')}:1:1: Unknown key \`lisen\`. Did you mean \`listen\`?`,
      `${at('bad.yaml')}:2:32: \`services.a.url\` is not valid. Write an http or https URL ` +
        'without credentials and fragment, such as http://10.0.0.7:8080/orders.',
      `${at('bad.yaml')}:2:24: The file ${at('w')} cannot be found. Check the path.`,
    ]);
  });

  t.test('a WSDL that is missing is named', async (t) => {
    const { code, error } = await run('check', '-c', at('lost.yaml'));
    t.equal(code, 2);
    t.match(error, `${at('lost.yaml')}:1:24: The file ${at('absent.wsdl')} cannot be found.`);
    t.notMatch(error, /\n {4}at /);
  });

  t.test('the schema is printed as SDL', async (t) => {
    const { code, out } = await run('schema', '-c', at('good.yaml'));
    t.equal(code, 0);
    t.match(out, /^type Query \{/m);
    t.match(out, /^type Mutation \{/m);
  });

  t.test('import writes a configuration that is fine', async (t) => {
    const made = await run('import', WSDL, '-o', at('made'), '--name', 'desk');
    t.equal(made.code, 0, made.error);
    t.match(made.out, /^12 operations: 12 offered .*\n\noperation +status +field +reason\n/);
    t.equal((await run('check', '-c', at('made/soapstone.yaml'))).code, 0);
    const again = await run('import', WSDL, '-o', at('made'));
    t.equal(again.code, 2);
    t.match(again.error, 'There is a configuration already.');
  });

  t.test(
    'a WSDL of which no operation can be called is imported, and the answer is no',
    async (t) => {
      const { code, out, error } = await run('import', at('useless.wsdl'), '-o', at('useless'));
      t.equal(code, 1);
      t.match(out, 'Written: ');
      t.equal(error, 'No operation can be called: the reasons stand above.\n');
      t.equal((await run('check', '-c', at('useless/soapstone.yaml'))).code, 2);
    },
  );

  t.test('the version is that of the package', async (t) => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    t.match(await run('--version'), { code: 0, out: `${version}\n` });
  });

  t.test('without a configuration here, that of the package is used', async (t) => {
    const here = process.cwd();
    t.teardown(() => process.chdir(here));
    process.chdir(directory);
    const { code, out, error } = await run('check');
    t.equal(code, 0);
    t.match(
      error,
      /^There is no config\/soapstone\.yaml here: this is the demonstration, .*soapstone\.yaml\.\n$/,
    );
    t.match(out, /soapstone\.yaml is fine: 3 services/);
  });

  t.test('a WSDL that cannot be read comes with what to do', async (t) => {
    const backend = await useBackend(t, answerWith('', 'text/xml', 404));
    const absent = await run('import', `${backend.url}/ws`, '-o', at('new'));
    t.match(absent, { code: 2, error: /answered 404\)\. Check the address: .*\?wsdl\.\n$/ });
    await backend.close();
    const away = await run('import', `${backend.url}/ws?wsdl`, '-o', at('new'));
    t.match(away, {
      code: 2,
      error: /ECONNREFUSED\)\. Check the address, and that its server runs/,
    });
  });

  t.test('a place that cannot be used is wrong input', async (t) => {
    const taken = await useBackend(t, answerWith(''));
    const { host } = new URL(taken.url);
    const places: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ['import', WSDL, '-o', at('good.yaml')],
        /good\.yaml: There is a file at this place, not a folder\./,
      ],
      [
        ['import', WSDL, '-o', at('good.yaml/x')],
        /x: A part of the path is a file, not a folder\./,
      ],
      [['import', WSDL, '--into', directory], /There is a folder at this place, not a file\./],
      [
        ['import', WSDL, '-o', at('new'), '--root', at('gone')],
        /The folder .*gone cannot be found\. Check .*--root/,
      ],
      [
        ['docs', '-c', at('good.yaml'), '-o', at('good.yaml')],
        /good\.yaml: There is a file at this place/,
      ],
      [['init', at('good.yaml/x')], /good\.yaml: There is a file at this place/],
      [
        ['mock', WSDL, '--listen', host],
        /^127\.0\.0\.1:\d+: The address is in use by another program\./,
      ],
      [['usage', '127.0.0.1:4001'], /ENOENT.* Give the admin address .*http:/],
    ];
    for (const [args, said] of places)
      t.match(await run(...args), { code: 2, error: said }, args.join(' '));
  });

  t.test('misuse is 2, help is 0', async (t) => {
    const unknown = await run('explode');
    t.equal(unknown.code, 2);
    t.match(unknown.error, /^error: unknown command 'explode'/);
    t.equal((await run()).code, 2);
    t.match(await run('import', WSDL), { code: 2, error: /--output.*\n.*--help/ });
    t.equal((await run('start', '-c', at('good.yaml'), '--workers', 'many')).code, 2);
    const heard = await run('start', '-c', at('heard.yaml'), '--workers', '2');
    t.equal(heard.code, 2);
    t.match(heard.error, 'the subscribers of one process only');
    const help = await run('--help');
    t.equal(help.code, 0);
    for (const command of ['start', 'check', 'schema', 'import'])
      t.match(help.out, `  ${command} `);
  });
});

t.test('what is printed arrives whole, through any pipe', async (t) => {
  const fields = Array.from(
    { length: 8000 },
    (_, at) => `        whateverTheNumberOfThisMayBe${at}: String`,
  );
  const handwritten = `services:
  big:
    url: http://127.0.0.1:1/
    namespace: urn:big
    types: |
      type Query { big: Big }
      type Big {
${fields.join('\n')}
      }
    operations: { GetBig: { field: Query.big } }
`;
  const directory = t.testdir({ 'big.yaml': handwritten });
  const file = join(directory, 'big.yaml');
  const whole = await run('schema', '-c', file);
  t.equal(whole.code, 0, whole.error);
  t.ok(whole.out.length > 200_000, 'more than any pipe holds');

  const shell = (line: string): Promise<Ended> =>
    end(spawn('sh', ['-c', line], { env: ENVIRONMENT }));
  const schema = `"${process.execPath}" "${MAIN}" schema -c "${file}"`;
  t.match(await shell(`${schema} | cat | wc -c`), { out: `${whole.out.length}\n`, error: '' });
  t.match(
    await shell(`${schema} | head -1`),
    { out: 'type Query {\n', error: '' },
    'a reader may leave',
  );
});

interface Ready {
  readonly listen: string;
  readonly admin: string;
  readonly msg: string;
}

/** The first line of standard output; fails with what was written to standard error instead. */
async function firstLine(child: ChildProcess): Promise<Ready> {
  if (child.stdout === null) throw new Error('no standard output');
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error('ended without a line');
}

t.test('a gateway says it is ready, serves, and drains at SIGTERM', async (t) => {
  const file = join(t.testdir(), 'soapstone.yaml');
  await writeFile(
    file,
    `${ANY_PORTS}services: { orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ } }`,
  );
  for (const workers of ['1', '2']) {
    const child = soapstone('start', '-c', file, '--workers', workers);
    const ready = await firstLine(child);
    t.match(ready, {
      msg: 'ready',
      listen: /^http:\/\/127\.0\.0\.1:\d+$/,
      admin: /^http:\/\/127\.0\.0\.1:\d+$/,
    });
    t.match(await (await fetch(`${ready.listen}/soap/orders?wsdl`)).text(), 'OrderDesk');
    t.equal((await fetch(`${ready.admin}/ready`)).status, 200);
    const metrics = await (await fetch(`${ready.admin}/metrics`)).text();
    t.match(metrics, /^soapstone_requests_total\{[^}]*\} 1$/m, `metrics of ${workers} process(es)`);
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    t.equal(code, 0);
  }
});

t.test('the demonstration prints calls to try', async (t) => {
  const file = join(t.testdir(), 'soapstone.yaml');
  const demo = 'demo: { listen: 127.0.0.1:0 }\n';
  await writeFile(
    file,
    `${ANY_PORTS}${demo}services: { orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ } }`,
  );
  const child = soapstone('start', '-c', file);
  child.stdout?.on('data', (chunk) => {
    if (String(chunk).includes('Ctrl-C')) child.kill('SIGTERM');
  });
  const { code, out } = await end(child);
  t.equal(code, 0);
  t.match(out, /^\{"level":"info".*"msg":"ready"\}\n/);
  t.match(out, /curl -s http:\/\/127\.0\.0\.1:\d+\/soap\/orders -H/);
  t.match(out, /curl -s http:\/\/127\.0\.0\.1:\d+\/graphql -H/);
  t.match(out, /GraphQL {2}http:\/\/127\.0\.0\.1:\d+\/graphql {3}\(in a browser: GraphiQL\)/);
});

/** The port that is proposed in place of a taken one. */
const furtherThan = (port: number): number => port + (port + 100 > 65_535 ? -100 : 100);

t.test('addresses of the command line replace those of the file', async (t) => {
  const file = join(t.testdir(), 'soapstone.yaml');
  const services =
    'services: { orders: { wsdl: "demo:legacy.wsdl", url: ' + 'http://127.0.0.1:9/orders } }';
  await writeFile(
    file,
    `listen: 192.0.2.1:1\nadmin: 192.0.2.1:2\ndemo: { listen: 127.0.0.1:9 }\n${services}`,
  );
  const ports = [await freePort(), await freePort(), await freePort()];
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  const [listen = '', admin = '', demo = ''] = addresses;
  const child = soapstone(
    ...['start', '-c', file, '--listen', listen, '--admin', admin, '--demo', demo],
    ...['--workers', '2'],
  );
  let answer = '';
  child.stdout?.on('data', (chunk) => {
    if (!String(chunk).includes('Ctrl-C')) return;
    void fetch(`http://${listen}/graphql?query={getOrder(id:7){id}}`)
      .then(async (response) => {
        answer = await response.text();
      })
      .finally(() => child.kill('SIGTERM'));
  });
  const { code, out } = await end(child);
  t.equal(code, 0);
  t.match(out, `"listen":"http://${listen}"`);
  t.match(out, `"admin":"http://${admin}"`);
  t.match(
    answer,
    /^\{"data":\{"getOrder":\{"id":7\}\}/,
    'the service calls the backend where it is',
  );
  const wrong = await end(soapstone('start', '-c', file, '--listen', 'here'));
  t.equal(wrong.code, 2);
  t.match(wrong.error, '--listen is no address to listen at. Give a host and a port');
});

t.test('an address that is taken is a problem of the configuration', async (t) => {
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
  t.teardown(() => taken.close());
  const bound = taken.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const services = `services: { orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ } }`;
  const file = join(t.testdir(), 'soapstone.yaml');
  await writeFile(file, `listen: 127.0.0.1:0\nadmin: 127.0.0.1:${port}\n${services}`);
  const command = `soapstone start -c ${file} --admin 127.0.0.1:${furtherThan(port)}`;
  const place =
    `${file}:2:8: The address 127.0.0.1:${port} of \`admin\` is in use by another ` +
    `program. Stop that program, or type \`${command}\`.\n`;
  const alone = await end(soapstone('start', '-c', file));
  t.equal(alone.code, 2);
  t.equal(alone.error, place);
  await writeFile(file, `admin: 127.0.0.1:0\nlisten: 127.0.0.1:${port}\n${services}`);
  const { code, error } = await end(soapstone('start', '-c', file, '--workers', '2'));
  t.equal(code, 2);
  t.match(error, `${file}:2:9: The address 127.0.0.1:${port} of \`listen\` is in use`);
});

t.test(
  'a file or a socket whose folder is not there is a problem of the configuration',
  async (t) => {
    const file = join(t.testdir(), 'soapstone.yaml');
    const services =
      `admin: 127.0.0.1:0\nservices: { orders: { wsdl: "${WSDL}", url: ` +
      'http://127.0.0.1:1/ } }\n';
    for (const [keys, problem] of [
      [
        'listen: 127.0.0.1:0\naudit: { file: none/a.log }',
        /:4:16: The file of `audit` cannot be opened \(ENOENT\)\./,
      ],
      [
        'listen: unix:/none/a.sock',
        /:3:9: The address unix:\/none\/a\.sock of `listen` may not be used by this user, or its folder is not there\./,
      ],
    ] as const) {
      await writeFile(file, `${services}${keys}\n`);
      for (const workers of ['1', '2']) {
        const { code, error } = await end(soapstone('start', '-c', file, '--workers', workers));
        t.equal(code, 2, error);
        t.match(error, problem);
      }
    }
  },
);

t.test('rules prints what a code means, and finds one that is written nearly right', async (t) => {
  t.match(await runCommand('rules', 'xml_depth_limit'), {
    code: 0,
    all: /^XML_DEPTH_LIMIT\n\n.*\n\nWhy: .*\n\nRemedy: .*\n\nLimits:\n {2}limits\.xml\.depth {2}\d+, at most /,
  });
  const hints: readonly (readonly [typed: string, hint: string])[] = [
    ['XML_DEEP_LIMIT', 'Did you mean XML_DEPTH_LIMIT?'],
    ['XML_DEPTH', 'Did you mean XML_DEPTH_LIMIT?'],
    ['xml-depth', 'Did you mean XML_DEPTH_LIMIT?'],
    ['xml-depht', 'Did you mean XML_DEPTH_LIMIT?'],
    ['depth', 'Did you mean XML_DEPTH_LIMIT or MAX_DEPTH_LIMIT?'],
    ['', 'There is no such code. `soapstone rules` lists all.'],
    ['wsse:FailedAuthenticatio', 'Did you mean wsse:FailedAuthentication?'],
    ['unheard'.repeat(1000), 'There is no such code. `soapstone rules` lists all.'],
  ];
  for (const [typed, hint] of hints) {
    t.match(await runCommand('rules', typed), { code: 2, all: hint });
  }
  t.match(await runCommand('rules', 'xml-depth-limit'), { code: 0, all: /^XML_DEPTH_LIMIT\n/ });
  for (const each of REFUSAL_CODES) {
    const { code, all } = await runCommand('rules', each);
    t.equal(code, 0, each);
    t.ok(all.startsWith(`${each}\n`));
  }
  const listed = /^XML_NOT_WELLFORMED +The message is not well-formed XML\.$/m;
  t.match(await runCommand('rules'), { code: 0, all: listed });
});

t.test('init writes a configuration that starts, whose examples are valid too', async (t) => {
  const file = join(t.testdir({}), 'config', 'soapstone.yaml');
  t.match(await run('init', file), { code: 0, out: /soapstone check -c/ });
  t.match(await run('check', '-c', file), { code: 0, error: '' });
  t.match(await run('init', file), { code: 2, error: /There is a configuration already/ });
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text.replaceAll(/^( *)# (?=[a-z][A-Za-z]*: |[a-z][A-Za-z]*:$| +\w+:)/gm, '$1'),
  );
  await writeFile(join(file, '..', 'service.wsdl'), await readFile(WSDL));
  await writeFile(
    join(file, '..', 'legacy.xsd'),
    await readFile(join(WSDL, '..', 'legacy.xsd')).catch(() => ''),
  );
  Object.assign(process.env, {
    BACKEND_PASSWORD: 'x',
    ACME_KEY: '0123456789abcdef0123456789abcdef',
  });
  const { code, out, error } = await run('check', '-c', file);
  t.equal(code, 0, `${out}${error}`);
});

t.test('try runs the gateway in front of a WSDL, with a query to begin with', async (t) => {
  const child = soapstone('try', WSDL);
  const ended = end(child);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    lines.push(line);
    if (line.includes('Ctrl-C')) break;
  }
  const text = lines.join('\n');
  const [, graphql = ''] = /GraphiQL (http\S+)/.exec(text) ?? [];
  t.match(text, /Console +http/);
  t.match(await askGraphql(graphql.replace(/\/graphql$/, ''), '{ __typename }'), {
    data: { __typename: 'Query' },
  });
  child.kill('SIGTERM');
  t.match(await ended, { code: 0 });
  const none = join(
    t.testdir({ 'none.wsdl': '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>' }),
    'none.wsdl',
  );
  t.not((await end(soapstone('try', none))).code, 0, 'nothing can be called');
});

t.test('try listens at the given address, and calls the given backend', async (t) => {
  const backend = await useBackend(t, answerWith('', 'text/xml', 500));
  const listen = `127.0.0.3:${await freePort()}`;
  const child = soapstone('try', WSDL, '--listen', listen, '--url', backend.url);
  const ended = end(child);
  for await (const line of createInterface({ input: child.stdout ?? process.stdin }))
    if (line.includes('Ctrl-C')) break;
  await postGraphql(`http://${listen}`, { query: '{ getOrder(id: 7) { id } }' });
  t.match(backend.complete, [{ target: '/orders' }], 'the path is that of the WSDL');
  child.kill('SIGTERM');
  t.match(await ended, { code: 0 });
  for (const [option, value, problem] of [
    ['--listen', 'everywhere', 'everywhere is no address to listen at.'],
    ['--url', 'ftp://a', 'ftp://a is no address of a backend.'],
  ] as const) {
    const wrong = await run('try', WSDL, option, value);
    t.equal(wrong.code, 2);
    t.match(wrong.error, problem);
  }
});

t.test('a long warning is cut before its remedy, not in it', async (t) => {
  const line = diagnosticLine({
    file: 'a',
    line: 1,
    column: null,
    what: 'x'.repeat(5000),
    remedy: 'Do this.',
  });
  t.match(line, /^a:1: x{500} \.\.\. Do this\.$/);
});

t.test('without a command the next steps are shown', async (t) => {
  for (const args of [[], ['--help']]) {
    const { out, error } = await run(...args);
    t.match(out + error, /soapstone try WSDL/);
  }
});
