import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { usePackage } from './installed-package.js';
import { useSchemaDesk } from './schema-desk.js';
import { QUESTIONS } from './schema-questions.js';

/** The schema as the package has it, with the `graphql` of programs of others. */

const COMPILER = resolve('node_modules/typescript/lib/tsc.js');
const STRICT = [
  ...['--ignoreConfig', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
  ...['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom', '--types', ''],
];

/** Prints the answers to questions; its arguments are a WSDL, an address and the questions. */
const PROGRAM = `
import { graphql } from 'graphql';
import { ConfigurationError, printedSchema, schemaFromWsdl } from 'soapstone/schema';
import type { WsdlSchema } from 'soapstone/schema';

declare const process: { readonly argv: readonly string[] };
interface Context { readonly role: string }

const [, , wsdl = '', url = '', questions = '[]'] = process.argv;
const options = { url, schema: { choices: 'union' } };
const made: WsdlSchema = await schemaFromWsdl(wsdl, {
  ...options,
  caller: ({ role }: Context) => ({ id: role }),
});
const answers: unknown[] = [];
for (const [, source, variableValues] of JSON.parse(questions)) {
  const contextValue: Context = { role: 'a' };
  answers.push(await graphql({ schema: made.schema, source, variableValues, contextValue }));
}
await made.close();
// @ts-expect-error: a service has no such key
const wrong: unknown = await schemaFromWsdl(wsdl, { uri: '' }).catch((error: unknown) => error);
if (!(wrong instanceof ConfigurationError)) throw wrong;
console.log(JSON.stringify({ answers, printed: await printedSchema(wsdl, options) }));
`;

/** Prints the code of a message that is not signed. */
const VERIFIER = `
import { MessageError, signMessage, verifyStream } from 'soapstone/security';
import { startGateway, type StartedGateway } from 'soapstone';

const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
const text = '<s:Envelope xmlns:s="' + soap + '"><s:Body/></s:Envelope>';
const signing = signMessage({ usernameToken: { username: 'ann', password: 'a-password' } });
const rules = { usernameToken: { users: { ann: { password: 'another' } } } };
const verifying = verifyStream(rules, { contentType: 'text/xml; charset=utf-8' });
const message: ReadableStream<Uint8Array> = new Blob([text]).stream();
try {
  await new Response(message.pipeThrough(signing).pipeThrough(verifying)).text();
} catch (error) {
  if (error instanceof MessageError) console.log(error.code);
}
await verifying.verified.then(({ user }) => user, () => null);
const start: (configuration: {}) => Promise<StartedGateway> = startGateway;
console.log(typeof start);
`;

/** Keys that no configuration has, and values of a type that theirs have not. */
const WRONG_KEYS = `
import { startGateway } from 'soapstone';
import { schemaFromWsdl, type SchemaOptions } from 'soapstone/schema';
import { signMessage, verifyStream } from 'soapstone/security';

const url = 'http://127.0.0.1:1';
export const right: SchemaOptions = {
  operations: { GetOrder: { read: { cacheMillis: '10s' } }, '*': false },
  schema: {
    choices: 'union',
    types: { Order: { fields: { total: { convert: { decimal: 2 } } } } },
  },
  auth: { basic: { username: 'ann', password: { file: 'password' } } },
  timeoutMillis: '\${TIMEOUT}',
  configuration: { limits: { graphql: { depth: 12 } } },
};
export const run = () => [
  // @ts-expect-error: \`listn\` is no section
  startGateway({ listn: '127.0.0.1:0' }),
  // @ts-expect-error: \`uri\` is no key of a service
  startGateway({ services: { orders: { uri: url } } }),
  // @ts-expect-error: a number is no map of operations
  startGateway({ services: { orders: { url, operations: 7 } } }),
  schemaFromWsdl('a.wsdl', {
    // @ts-expect-error: a field has no such conversion
    schema: { types: { A: { fields: { b: { convert: { dat: 'y' } } } } } },
  }),
  // @ts-expect-error: a schema does not listen
  schemaFromWsdl('a.wsdl', { configuration: { listen: '127.0.0.1:0' } }),
  // @ts-expect-error: rules have no such key
  verifyStream({ signatur: {} }),
  // @ts-expect-error: a token has no such key
  signMessage({ usernameToken: { user: 'ann' } }),
];
`;

t.test('keys of a configuration are typed as its table has them', async (t) => {
  const examples = await readdir('config/examples');
  const names = examples.filter((name) => name.endsWith('.yaml'));
  const values = await Promise.all(
    names.map(async (name, at) => {
      const value: unknown = parse(await readFile(join('config/examples', name), 'utf8'));
      const text = JSON.stringify(value);
      return `/** ${name} */\nexport const c${at}: GatewayConfiguration = ${text};\n`;
    }),
  );
  const imports = "import type { GatewayConfiguration } from 'soapstone';\n";
  const { run } = await usePackage(
    t,
    { graphql: 'node_modules/graphql' },
    { 'wrong.mts': WRONG_KEYS, 'examples.mts': imports + values.join('') },
  );
  t.ok(names.length > 20);
  t.equal(await run(COMPILER, ...STRICT, 'wrong.mts', 'examples.mts').catch(outputOf), '');
});

t.test('a program has the streams of WS-Security with their types', async (t) => {
  const { run } = await usePackage(t, {}, { 'own.mts': VERIFIER });
  t.equal(await run(COMPILER, ...STRICT, 'own.mts').catch(outputOf), '', 'its types are strict');
  t.equal(await run('own.mjs'), 'wsse:FailedAuthentication\nfunction\n');
});

/** What an answer says, without what is of one request, and without texts of a release. */
const asked = (answer: object): unknown =>
  JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
    key === 'locations' || (key === 'id' && typeof value === 'string' && value.includes('-'))
      ? undefined
      : value,
  );

for (const release of ['graphql', 'graphql-17']) {
  t.test(`a program with ${release} has the schema, its types and its answers`, async (t) => {
    const desk = await useSchemaDesk(t);
    const wsdl = join(desk.folder, 'desk.wsdl');
    const packages = { graphql: `node_modules/${release}` };
    const { run } = await usePackage(t, packages, { 'own.mts': PROGRAM });
    t.equal(await run(COMPILER, ...STRICT, 'own.mts').catch(outputOf), '', 'its types are strict');
    const printed = await run('own.mjs', wsdl, desk.url, JSON.stringify(QUESTIONS));
    const { answers, printed: sdl } = JSON.parse(printed);
    for (const [index, [title, query, variables]] of QUESTIONS.entries()) {
      t.same(asked(answers[index]), await desk.ask(query, variables), title);
    }
    t.match(sdl, 'getCustomer(id: Int!, kind: Kind): Customer');
  });
}

t.test('without `graphql` an import says what to install', async (t) => {
  const { run } = await usePackage(
    t,
    {},
    {
      'own.mjs': `import('soapstone/schema').catch(({ message }) => console.log(message));`,
      'other.mjs': `import { startGateway } from 'soapstone'; console.log(typeof startGateway);`,
    },
  );
  t.match(await run('own.mjs'), /needs the package `graphql`.*npm install graphql@16/);
  t.equal(await run('other.mjs'), 'function\n', 'the gateway has its own');
});

/** What a program that failed has printed. */
const outputOf = (error: { readonly stdout?: string }): string => error.stdout ?? String(error);
