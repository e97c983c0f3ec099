import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { startCrm } from '../kit/crm.js';
import { missing, OPENAPI_CLIENTS, OPENAPI_PYTHON } from './programs.js';
import { STACKS } from './stacks.js';

/** Clients that are made from the OpenAPI description: they compile, and call. */

const run = promisify(execFile);

/** A gateway with its description in a folder. */
async function useDescription(t: Test) {
  const crm = await startCrm(', rest: true');
  t.teardown(() => crm.close());
  const text = await (await fetch(`${crm.gateway.url}/rest/openapi.json`)).text();
  const folder = t.testdir({ 'openapi.json': text });
  return { url: crm.gateway.url, folder };
}

const CALLER = `import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const posted = await client.POST('/rest/crm/GetCustomer', { body: { id: 7 } });
const customer: components['schemas']['Customer'] | null | undefined = posted.data;
const city: string | null | undefined = customer?.address?.city;
const got = await client.GET('/rest/crm/FindCustomers', { params: { query: { ids: [1, 2] } } });
const set = await client.POST('/rest/crm/SetCustomer', { body: { id: 7, name: 'B', address: \
{ street: 'S' } } });
const missed = await client.POST('/rest/crm/GetCustomer', { body: { id: 404 } });
// @ts-expect-error: an id is a number
const wrong = await client.POST('/rest/crm/GetCustomer', { body: { id: 'x' } });
// @ts-expect-error: a name is needed
await client.POST('/rest/crm/SetCustomer', { body: { id: 7 } });
const status: number | undefined = wrong.error?.status;
console.log(JSON.stringify({ city, found: got.data?.length, set: set.data, missed: \
missed.error?.code, status }));
`;

t.test(
  'TypeScript, by openapi-typescript and openapi-fetch',
  { skip: missing('openapi-typescript') },
  async (t) => {
    const { url, folder } = await useDescription(t);
    symlinkSync(join(OPENAPI_CLIENTS, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'caller.ts'), CALLER);
    const make = join(OPENAPI_CLIENTS, 'node_modules/openapi-typescript/bin/cli.js');
    await run(process.execPath, [make, 'openapi.json', '-o', 'schema.d.ts'], { cwd: folder });
    const options = [
      '--ignoreConfig',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    const types = ['--typeRoots', join(process.cwd(), 'node_modules/@types')];
    const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [compiler, ...options, ...types, 'caller.ts'], { cwd: folder });
    const { stdout } = await run(process.execPath, ['caller.js', url], { cwd: folder });
    t.same(JSON.parse(stdout), {
      city: 'Ghent',
      found: 2,
      set: true,
      missed: 'SOAP_FAULT',
      status: 400,
    });
  },
);

t.test(
  'Python, by openapi-python-client',
  { skip: missing('openapi-python-client') },
  async (t) => {
    const { url, folder } = await useDescription(t);
    const environment = { ...process.env, PATH: `${OPENAPI_PYTHON}/bin:${process.env['PATH']}` };
    const options = { cwd: folder, env: environment };
    await run(
      'openapi-python-client',
      ['generate', '--path', 'openapi.json', '--output-path', 'made'],
      options,
    );
    const script = join(STACKS, 'openapi', 'caller.py');
    const { stdout } = await run(
      `${OPENAPI_PYTHON}/bin/python`,
      [script, join(folder, 'made'), url],
      options,
    );
    t.same(JSON.parse(stdout), { city: 'Ghent', found: 2, set: true, missed: 'SOAP_FAULT' });
  },
);
