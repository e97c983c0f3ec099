import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import { parseAmount, printAmount } from '../../src/config/keys/units.js';
import { loadConfig } from '../../src/config/load.js';
import { printReference, replaceSection } from '../kit/reference/configuration.js';
import { printConfigurationTypes } from '../kit/reference/configuration-types.js';
import { printJsonSchema } from '../kit/reference/json-schema.js';

const schema: Record<string, unknown> = JSON.parse(printJsonSchema());
const accepts = new Ajv({ strict: true, allowUnionTypes: true, strictTypes: false }).compile(
  schema,
);

t.test('the published JSON Schema is current', async (t) => {
  const published = await readFile('config/soapstone.schema.json', 'utf8');
  t.equal(published, printJsonSchema(), 'run `npm run generate`');
});

t.test('the types of the keys are current', async (t) => {
  const types = await readFile('src/library/configuration-keys.ts', 'utf8');
  t.equal(types, printConfigurationTypes(), 'run `npm run generate`');
});

t.test('the reference is current', async (t) => {
  const readme = await readFile('config/README.md', 'utf8').catch(() => '');
  t.equal(
    replaceSection(readme, 'configuration', printReference()),
    readme,
    'run `npm run generate`',
  );
});

t.test('an editor accepts what the loader accepts', async (t) => {
  t.ok(accepts(parse(await readFile('config/soapstone.yaml', 'utf8'))), 'the ready configuration');
  const good = [
    { limits: { xml: { messageBytes: '10MiB', depth: 5 }, http: { idleMillis: '5 s' } } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
    { workers: 'auto', graphql: { introspection: '${X}' }, limits: { xml: { depth: '${DEPTH}' } } },
    { workers: 3, listen: { file: 'address' } },
  ];
  const services = {
    a: { wsdl: 'a.wsdl', url: 'http://a', operations: { A: false, B: { field: 'Query.b' } } },
  };
  for (const part of good)
    t.ok(accepts({ services, ...part }), JSON.stringify([part, accepts.errors]));
  t.ok(accepts({ include: ['services/*.yaml'] }), 'all services are in other files');
  t.ok(accepts({ limits: { xml: { depth: 5 } } }), 'a file that is included');
});

t.test('an editor refuses what the loader refuses', async (t) => {
  const services = { a: { wsdl: 'a.wsdl', url: 'http://a' } };
  const bad = [
    { services: {} },
    { services, lisen: 'x' },
    { services, limits: { xml: { depth: 1 } } },
    { services, limits: { xml: { depth: '10MiB' } } },
    { services, workers: 'many' },
    { services, log: { level: 'loud' } },
    { services: { a: { url: 'http://a', operations: { A: 3 } } } },
  ];
  for (const part of bad) t.notOk(accepts(part), JSON.stringify(part));
});

t.test('the ready configuration loads', async (t) => {
  const { config } = await loadConfig('config/soapstone.yaml', {});
  t.equal(config.listen, '127.0.0.1:4000');
  t.equal(config.services['orders']?.path, '/soap/orders');
});

t.test('the reference has a row for every key', async (t) => {
  const reference = printReference();
  t.match(reference, '| `listen` | text or keys or list | `127.0.0.1:4000` |  | ');
  t.match(reference, '### `services.<service>`\n\n');
  t.match(reference, '- [`clients`](#clients), [`clients.apiKeys`](#clientsapikeys), ');
  t.match(reference, '| `path` | text | `/soap/<service>` |  | ');
  t.match(reference, '### `services.<service>.operations.<operation>`\n\n');
  t.match(reference, '**`services.<service>.operations.<operation>.arguments.<argument>`** ');
  t.match(reference, '| `messageBytes` | bytes | 10MiB | 1KiB to 2GiB | ');
  t.match(reference, '| `drainMillis` | milliseconds | 30s | 0 to 1h | ');
});

t.test('a marked section is replaced, and replaced again to the same', async (t) => {
  const text = 'before\n<!-- metrics -->\nold\n<!-- /metrics -->\nafter $& $1\n';
  const once = replaceSection(text, 'metrics', 'new $& text');
  t.equal(once, 'before\n<!-- metrics -->\n\nnew $& text\n\n<!-- /metrics -->\nafter $& $1\n');
  t.equal(replaceSection(once, 'metrics', 'new $& text'), once);
  t.equal(replaceSection(text, 'configuration', 'x'), text, 'no such section');
});

t.test('amounts are read as they are printed', async (t) => {
  for (const amount of [0, 1, 1023, 1024, 1536, 10 * 1024 * 1024, 3 * 1024 ** 3]) {
    t.equal(parseAmount(printAmount(amount, 'bytes').replaceAll(',', ''), 'bytes'), amount);
  }
  for (const amount of [0, 1, 999, 1000, 90_000, 3_600_000]) {
    t.equal(parseAmount(printAmount(amount, 'millis').replaceAll(',', ''), 'millis'), amount);
  }
  for (const text of [
    '',
    '-1',
    '1e3',
    '0x10',
    '1.5',
    '1.0001KiB',
    '5MB',
    '5kib',
    '9'.repeat(20),
    '1 s s',
  ]) {
    t.equal(parseAmount(text, 'bytes'), null, text);
  }
  t.equal(parseAmount('5s', 'count'), null);
});
