import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { GraphQLSchema, validateSchema } from 'graphql';
import t from 'tap';
import {
  ConfigurationError,
  mappingFromWsdl,
  printedSchema,
  schemaFromWsdl,
} from '../../src/library/schema.js';
import { listen } from '../kit/listen.js';
import { useFolder } from '../kit/use.js';
import { CORPUS, wsdlsIn } from '../wsdl/corpus-models.js';
import { DESK_WSDL, useSchema } from './schema-desk.js';

/** WSDLs of many kinds as schemas, from files and from a server. */

const FOLDERS = ['config/demo', 'test/real/stacks', ...(existsSync(CORPUS) ? [CORPUS] : [])];

t.test('every WSDL at hand gives a valid schema and a mapping', async (t) => {
  for (const file of FOLDERS.flatMap(wsdlsIn)) {
    const made = await schemaFromWsdl(file).catch(problemOf);
    if (typeof made === 'string') {
      t.match(made, /has a DTD, which is refused/, file);
      continue;
    }
    const { schema, close } = made;
    await close();
    const checked = new GraphQLSchema({ ...schema.toConfig(), assumeValid: false });
    t.same(validateSchema(checked), [], file);
    const { services, operations } = await mappingFromWsdl(file);
    const offered = operations.flatMap((each) =>
      each.field === null ? [] : (each.service ?? 'none'),
    );
    t.ok(
      offered.every((name) => Object.hasOwn(services, name)),
      file,
    );
  }
});

/** The text of an error of a configuration. */
function problemOf(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  throw error;
}

t.test('a WSDL is read from a server, with its documents, and leaves nothing behind', async (t) => {
  const [wsdl, xsd] = await Promise.all(
    ['legacy.wsdl', 'legacy.xsd'].map((name) => readFile(`config/demo/${name}`)),
  );
  const server = createServer(({ url = '' }, response) => {
    response.end(url.endsWith('.xsd') ? xsd : wsdl);
  });
  const { url } = await listen(t, server);
  const location = new URL(`${url}/legacy.wsdl`);
  const { schema } = await useSchema(t, String(location), {});
  t.match(Object.keys(schema.getQueryType()?.getFields() ?? {}), ['getOrder']);
  const printed = await printedSchema('config/demo/legacy.wsdl');
  t.equal(await printedSchema(location), printed);
  t.equal(
    await printedSchema(pathToFileURL('config/demo/legacy.wsdl')),
    printed,
    'a URL of a file',
  );
});

t.test('a mapping has the keys of its services, which are options of a schema', async (t) => {
  const folder = await useFolder(t, { 'desk.wsdl': DESK_WSDL });
  const { services, yaml, operations } = await mappingFromWsdl('desk.wsdl', {
    folder,
    url: 'http://127.0.0.1:9/desk',
    name: 'desk',
  });
  const { wsdl, ...keys } = services['desk'] ?? {};
  t.match(keys, {
    url: 'http://127.0.0.1:9/desk',
    operations: { GetCustomer: { field: 'Query.getCustomer' } },
  });
  t.match(yaml, `wsdl: ${JSON.stringify(wsdl)}`);
  t.match(operations, [{ operation: 'GetCustomer', service: 'desk', status: 'ok' }]);
  const renamed = { ...keys, operations: { GetCustomer: { field: 'Query.customer' } } };
  t.match(await printedSchema('desk.wsdl', { folder, ...renamed }), 'customer(id: Int!');
});

t.test('a WSDL without an address calls no other', async (t) => {
  const text = DESK_WSDL.replace(/<service[\s\S]*<\/service>/, '');
  const folder = await useFolder(t, { 'desk.wsdl': text });
  const { ask } = await useSchema(t, 'desk.wsdl', { folder });
  t.match(await ask('{ getCustomer(id: 1) { id } }'), {
    errors: [{ extensions: { code: /^UPSTREAM_/ } }],
  });
});
