import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printSchema } from 'graphql';
import t, { type Test } from 'tap';
import { type Compiled, compile, compileFirst } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { AT_ONCE, ConfigurationError, type Pace } from '../../src/core/index.js';
import { echoWsdl, schemaWith } from '../wsdl/written.js';

/** What a start knows of the GraphQL schema of an earlier one, and when it compiles it first. */

/** Two elements have one name in GraphQL, which is a warning about the schema. */
const WSDL = echoWsdl(
  schemaWith(
    '<xs:element name="Echo"><xs:complexType><xs:sequence>' +
      '<xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType></xs:element>' +
      '<xs:element name="EchoResponse" type="t:Kind"/>' +
      '<xs:complexType name="Kind"><xs:sequence><xs:element name="id" type="xs:int"/>' +
      '<xs:element name="a-b" type="xs:int"/><xs:element name="a_b" type="xs:int"/>' +
      '</xs:sequence></xs:complexType>',
  ),
);
const SERVICE = 'wsdl: a.wsdl, url: "http://127.0.0.1:1/"';

function prepare(t: Test) {
  const folder = t.testdir({ 'a.wsdl': WSDL });
  const write = (service = SERVICE, more = '') =>
    writeFileSync(
      join(folder, 'soapstone.yaml'),
      `compiled: kept\nservices: { a: { ${service} } }\n${more}`,
    );
  write();
  return { folder, write };
}

async function closed(compiling: Promise<Compiled>): Promise<Compiled> {
  const made = await compiling;
  await made.close();
  return made;
}

const load = (folder: string) => loadConfig(join(folder, 'soapstone.yaml'), {});
const whole = async (folder: string) => closed(compile(await load(folder)));
const first = async (folder: string) => closed(compileFirst(await load(folder)));

t.test('a start knows the schema of an earlier one, and compiles it beside SOAP', async (t) => {
  const { folder } = prepare(t);
  const earlier = await first(folder);
  t.equal(earlier.isForSoap, false, 'the first start compiles it');
  const made = await first(folder);
  t.equal(made.isForSoap, true);
  t.equal(made.graph.fields.size, 0);
  t.strictSame([...made.byPath.keys()], ['/soap/a']);
  t.ok(made.warnings.some(({ what }) => /two members/.test(what)));
  t.strictSame(made.warnings, earlier.warnings, 'the warnings are those of the whole');
  t.equal((await whole(folder)).isForSoap, false, 'commands and reloads compile all');
  const started = await compileFirst(await load(folder));
  const next = await compile(await load(folder), started);
  t.equal(printSchema(next.graph.schema), printSchema(earlier.graph.schema));
  t.equal(next.services[0]?.upstream, started.services[0]?.upstream, 'connections are kept');
  await next.close();
});

t.test('a schema is compiled first after any change', async (t) => {
  const changes: Readonly<Record<string, (folder: string, write: Write) => void>> = {
    'of the configuration': (_folder, write) => write(`${SERVICE}, naming: exact`),
    'of another key': (_folder, write) => write(SERVICE, 'limits: { graphql: { depth: 9 } }\n'),
    'of the WSDL': (folder) => writeFileSync(join(folder, 'a.wsdl'), `${WSDL}\n`),
    'of what is known': (folder) => {
      for (const name of readdirSync(join(folder, 'kept'))) {
        if (name.endsWith('.schema')) {
          writeFileSync(join(folder, 'kept', name), '{"key":"x","warnings":[]}');
        }
      }
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    const { folder, write } = prepare(t);
    await whole(folder);
    t.equal((await first(folder)).isForSoap, true, 'known');
    change(folder, write);
    t.equal((await first(folder)).isForSoap, false, name);
  }
});

type Write = ReturnType<typeof prepare>['write'];

t.test('a schema is not known while it is compiled: the process may not survive it', async (t) => {
  const { folder } = prepare(t);
  await whole(folder);
  const known = () => readdirSync(join(folder, 'kept')).some((name) => name.endsWith('.schema'));
  const steps: boolean[] = [];
  const pace: Pace = {
    run: async (work) => {
      steps.push(known());
      return AT_ONCE.finish(work);
    },
    pause: async () => {},
  };
  const started = await compileFirst(await load(folder));
  await closed(compile(await load(folder), started, pace));
  t.strictSame([steps.at(0), steps.at(-1), known()], [true, false, true]);
});

t.test('an error in the mapping is found at the start', async (t) => {
  const { folder, write } = prepare(t);
  await whole(folder);
  write(`${SERVICE}, operations: { Nothing: false }`);
  await t.rejects(first(folder), ConfigurationError);
  await t.rejects(first(folder), ConfigurationError, 'again');
});

t.test('what SOAP callers need of the schema is compiled first', async (t) => {
  const parts: Readonly<Record<string, readonly [string, string]>> = {
    'rules of fields': [
      `${SERVICE}, schema: { types: { Kind: { fields: { id: { scopes: [a] } } } } }`,
      '',
    ],
    subscriptions: [SERVICE, 'subscriptions: { a: { poll: { operation: a.Echo } } }\n'],
    links: [SERVICE, 'links: { Kind.next: { operation: a.Echo, arguments: { id: id } } }\n'],
  };
  for (const [name, [service, more]] of Object.entries(parts)) {
    const { folder, write } = prepare(t);
    write(service, more);
    t.equal((await whole(folder)).isForSoap, false, name);
    t.equal((await first(folder)).isForSoap, false, name);
    t.strictSame(
      readdirSync(join(folder, 'kept')).filter((file) => file.endsWith('.schema')),
      [],
      'nothing is remembered',
    );
  }
});

t.test('a small WSDL is compiled at once unless a folder is named', async (t) => {
  const folder = t.testdir({
    'a.wsdl': WSDL,
    'soapstone.yaml': `services: { a: { ${SERVICE} } }\n`,
  });
  await whole(folder);
  t.equal((await first(folder)).isForSoap, false);
});
