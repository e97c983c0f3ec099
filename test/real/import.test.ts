import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { parse, stringify } from 'yaml';
import { startTestGateway } from '../kit/gateway.js';
import { askGraphql, TYPED } from '../kit/graphql-client.js';
import { missing, useProgram } from './programs.js';
import { BACKENDS, runClient, startStack } from './stacks.js';

/**
 * `soapstone import` of live WSDLs that others made, then queries and mutations with every value
 * compared.
 */

async function importWsdl(
  url: string,
  directory: string,
): Promise<{ code: number; output: string }> {
  const args = [join('dist', 'bin', 'main.js'), 'import', url, '-o', directory];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
      timeout: 30_000,
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    return { code: 1, output: String(error) };
  }
}

/** The configuration that the import wrote, started on ports of the system's choice. */
async function startImported(directory: string) {
  const written: unknown = parse(await readFile(join(directory, 'soapstone.yaml'), 'utf8'));
  if (typeof written !== 'object' || written === null || !('services' in written))
    throw new Error('no services');
  const yaml = stringify({ ...written, listen: '127.0.0.1:0', admin: '127.0.0.1:0' });
  return {
    gateway: await startTestGateway(yaml, directory),
    service: Object.keys(Object(written.services))[0],
  };
}

interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly extensions: { readonly code: string; readonly soap?: unknown };
  }[];
}

type Ask = (query: string, variables?: Record<string, unknown>) => Promise<Answer>;

const askAt =
  (url: string): Ask =>
  async (query, variables = {}) => {
    return askGraphql<Answer>(url, query, variables, TYPED);
  };

const ORDER = `id serial status placedAt dueDate total paid note signature priority currency
  customer { code name vip creditLimit address { street city zip } }
  lines { no sku qty price }
  payment { __typename amount ... on CardPayment { last4 expires } ... \
on InvoicePayment { termDays } }
  pickupCode shipTo { street city zip }`;

/**
 * The stacks write the same instant and the same day in their own ways; each is kept as written.
 */
const DATES = {
  php: { placedAt: (minute: string) => `2024-01-15T10:${minute}:00Z`, dueDate: '2024-02-29+01:00' },
  spyne: {
    placedAt: (minute: string) => `2024-01-15T10:${minute}:00+00:00`,
    dueDate: '2024-02-29',
  },
} as const;

function addressOf(id: number) {
  return {
    street: `Rue de l'Été ${id}`,
    city: 'Liège',
    zip: id % 2 === 1 ? String(id).padStart(5, '0') : null,
  };
}

function customerOf(id: number) {
  const odd = id % 2 === 1;
  const code = `C${String(id).padStart(3, '0')}`;
  return {
    code,
    name: 'Zoë <& Søn>',
    vip: odd,
    creditLimit: odd ? '1500.50' : null,
    address: addressOf(id),
  };
}

function orderOf(id: number, stack: keyof typeof DATES) {
  const odd = id % 2 === 1;
  const total = `${Math.trunc((id * 1999) / 100)}.${String((id * 1999) % 100).padStart(2, '0')}`;
  const lines = Array.from({ length: id % 3 }, (_, index) => index + 1);
  return {
    id,
    serial: '9007199254740993',
    status: ['ON_HOLD', 'NEW', 'PAID', 'SHIPPED'][id % 4],
    placedAt: DATES[stack].placedAt(String(id % 60).padStart(2, '0')),
    dueDate: odd ? DATES[stack].dueDate : null,
    total,
    paid: !odd,
    note: id % 3 === 0 ? null : 'line1\nné & <b>',
    signature: Buffer.from([0, 1, 254, 255].slice(0, 1 + (id % 4))).toString('base64'),
    priority: id % 5,
    currency: 'EUR',
    customer: customerOf(id),
    lines: lines.map((no) => ({ no, sku: `ABC-${no}`, qty: no, price: '9.99' })),
    payment: odd
      ? { __typename: 'CardPayment', amount: total, last4: '4242', expires: '2027-04' }
      : { __typename: 'InvoicePayment', amount: total, termDays: 30 },
    pickupCode: odd ? `P${id}` : null,
    shipTo: odd ? null : addressOf(id),
  };
}

async function checkQueries(t: Test, ask: Ask, stack: keyof typeof DATES): Promise<void> {
  t.same(
    await ask(
      `{ a: getOrder(id: 1) { ${ORDER} } b: getOrder(id: 10) { ${ORDER} } c: getOrder(id: ` +
        '3) { lines { no } note } }',
    ),
    {
      data: { a: orderOf(1, stack), b: orderOf(10, stack), c: { lines: [], note: null } },
    },
  );
  t.same(
    await ask(
      `{ none: listOrders(count: 0) { id } one: listOrders(count: 1) { ${ORDER} } three: ` +
        `listOrders(count: 3) { ${ORDER} } }`,
    ),
    {
      data: {
        none: [],
        one: [orderOf(1, stack)],
        three: [1, 2, 3].map((id) => orderOf(id, stack)),
      },
    },
  );
  t.same(await ask('{ listOrders(count: 1, status: ON_HOLD) { serial } }'), {
    data: { listOrders: [{ serial: '9007199254740993' }] },
  });
  t.same(
    await ask(
      'query ($code: String!) { known: findCustomer(code: $code) { code name vip creditLimit ' +
        'address { street city zip } } nobody: findCustomer(code: "x") { code } }',
      { code: 'C007' },
    ),
    { data: { known: customerOf(7), nobody: null } },
  );
  const text = 'h€llo <&> ]]> "q" é';
  t.same(await ask('query ($text: String!) { echo(text: $text) }', { text }), {
    data: { echo: text },
  });
  t.same(await ask('{ whoAmI(headers: { authToken: { token: "s3cret", tenant: "acme" } }) }'), {
    data: { whoAmI: 'alice@acme' },
  });
}

const NEW_ORDER = {
  customerCode: 'C001',
  note: null,
  lines: [{ no: 1, sku: 'ABC-1', qty: 2, price: '9.90' }],
};

async function checkMutations(t: Test, ask: Ask): Promise<void> {
  const place =
    'mutation ($order: NewOrderInput!) { placeOrder(order: $order) { orderId total warnings } }';
  t.same(await ask(place, { order: NEW_ORDER }), {
    data: {
      placeOrder: { orderId: '9007199254740994', total: '19.80', warnings: ['no due date'] },
    },
  });
  const dated = {
    ...NEW_ORDER,
    note: 'a <b> & c',
    dueDate: '2024-02-29+01:00',
    lines: [...NEW_ORDER.lines, ...NEW_ORDER.lines],
  };
  t.same(await ask(place, { order: dated }), {
    data: { placeOrder: { orderId: '9007199254740994', total: '39.60', warnings: [] } },
  });
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, index) => index % 256)).toString(
    'base64',
  );
  t.same(
    await ask(
      'mutation ($bytes: Base64!) { upload(name: "a.bin", content: $bytes) download(n: ' +
        '300) notify(text: "x") }',
      { bytes },
    ),
    { data: { upload: 300, download: bytes, notify: true } },
  );
  const exported = await ask('mutation { export(n: 2000) { n text price } }');
  const records = Array.from({ length: 2000 }, (_, index) => ({
    n: index + 1,
    text: `Record ${index + 1} — größe`,
    price: '1.10',
  }));
  t.same(exported, { data: { export: records } });
}

async function checkFaults(t: Test, ask: Ask): Promise<void> {
  const fault = await ask('{ getOrder(id: 0) { id } }');
  t.match(fault.errors, [{ extensions: { code: 'SOAP_FAULT', soap: { string: 'No order 0' } } }]);
  t.match(JSON.stringify(fault.errors), '404');
  const unpriced = { ...NEW_ORDER, lines: [{ no: 1, sku: 'ABC-1', qty: 0, price: '9.90' }] };
  const refused = await ask(
    'mutation ($order: NewOrderInput!) { placeOrder(order: $order) { total } }',
    {
      order: unpriced,
    },
  );
  t.match(JSON.stringify(refused.errors), 'lines[1].qty');
  t.match((await ask('mutation { crash }')).errors, [{ extensions: { code: 'SOAP_FAULT' } }]);
  t.match((await ask('mutation { broken(mode: "html") }')).errors, [
    { extensions: { code: /^UPSTREAM_/ } },
  ]);
  t.match((await ask('mutation { broken(mode: "truncate") }')).errors, [
    { extensions: { code: /^UPSTREAM_/ } },
  ]);
}

for (const [stack, path] of [
  ['php', '/orders.php'],
  ['spyne', '/soap11'],
  ['spyne', '/soap12'],
] as const) {
  t.test(`import of ${stack}${path}`, { skip: missing(stack) }, async (t) => {
    const server = await useProgram(t, startStack(stack));
    const directory = t.testdir();
    const report = await importWsdl(`${server.origin}${path}?wsdl`, directory);
    t.equal(report.code, 0, report.output);
    t.match(report.output, 'GetOrder');
    const { gateway } = await startImported(directory);
    t.teardown(() => gateway.close());
    const ask = askAt(gateway.url);
    await t.test('queries', (t) => checkQueries(t, ask, stack));
    await t.test('mutations', (t) => checkMutations(t, ask));
    await t.test('faults', (t) => checkFaults(t, ask));
  });
}

t.test(
  'import of an rpc/encoded WSDL offers its operations, and SOAP passes beside them',
  { skip: missing('php') },
  async (t) => {
    const server = await useProgram(t, startStack('php'));
    const directory = t.testdir();
    const report = await importWsdl(`${server.origin}/legacy.php?wsdl`, directory);
    t.equal(report.code, 0, report.output);
    t.match(report.output, /getItem +ok +Query\.getItem/);
    const { gateway, service } = await startImported(directory);
    t.teardown(() => gateway.close());
    const backend = BACKENDS.find(({ name }) => name === 'phprpc');
    if (backend === undefined) throw new Error('no such backend');
    const endpoint = `${gateway.url}/soap/${service}`;
    const lines = await runClient('php', backend, `${endpoint}?wsdl`, endpoint);
    t.same(
      lines.filter((line) => line.startsWith('FAIL ')),
      [],
    );
    t.equal(lines.length, 14);
    const map = await askAt(gateway.url)(
      'mutation { attributes(sku: "S1") { key { value } value { value } } }',
    );
    t.match(
      map.data?.['attributes'],
      [{ key: { value: 'color' }, value: { value: 'red' } }],
      'values of any type',
    );
  },
);
