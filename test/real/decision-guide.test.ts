import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';

import { answerWith } from '../kit/backend.js';
import { envelope, textIn } from '../kit/envelope.js';
import { freePort } from '../kit/free-port.js';
import { useService } from '../kit/use.js';
import { missing, PYTHON, REGO_PYTHON } from './programs.js';

/** The decision points of the manual: each program is run as it stands there. */

const GUIDE = readFileSync('config/manual/decisions.md', 'utf8');

const blockOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(GUIDE)?.[1] ?? '';

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

t.test(
  'the program in Python decides, and its claims reach the backend',
  { skip: missing('python') },
  async (t) => {
    const file = join(t.testdir(), 'decide.py');
    const port = await freePort();
    writeFileSync(file, blockOf('python'));
    const child = spawn(PYTHON, [file, String(port)], { stdio: 'ignore' });
    t.teardown(() => child.kill('SIGKILL'));
    while (!(await isListening(port))) {
      if (child.exitCode !== null) throw new Error('it has ended');
    }
    const { ask, sent } = await useService(
      t,
      answerWith(envelope('<GetOrderResponse xmlns="urn:desk"><id>7</id></GetOrderResponse>')),
      (url) => `services:
  orders:
    url: ${url}/orders
    namespace: urn:desk
    types: "type Query { order: Order } type Order { id: ID }"
    operations: { GetOrder: { field: Query.order } }
    soapHeaders: { "{urn:desk}Context/tenant": { claim: tenant, required: true } }
clients:
  apiKeys: { header: x-api-key, clients: {
    shop: { class: partner, keys: [key-of-the-shop-0001] },
    other: { class: partner, keys: [key-of-another-00001] } } }
  classes: { partner: {} }
  authorize: { url: "http://127.0.0.1:${port}/decision", timeoutMillis: 30000 }
`,
    );
    const answered = await ask('{ order { id } }', {}, { 'x-api-key': 'key-of-the-shop-0001' });
    t.match(answered, { data: { order: { id: '7' } } });
    t.equal(textIn(sent(), 'tenant'), 'a');
    const denied = await ask('{ order { id } }', {}, { 'x-api-key': 'key-of-another-00001' });
    t.match(denied.errors, [{ message: 'This client has no tenant.' }]);
  },
);

t.test('the policy in Rego decides the same', { skip: missing('rego') }, (t) => {
  const file = join(t.testdir(), 'policy.rego');
  writeFileSync(file, blockOf('rego'));
  const program = `import opa_eval, sys
print(opa_eval.OpaEval(sys.argv[1], query="data.soapstone.decision").evaluate(sys.argv[2]))`;
  const decide = (input: object): unknown => {
    const run = spawnSync(REGO_PYTHON, ['-c', program, file, JSON.stringify(input)]);
    return JSON.parse(run.stdout.toString());
  };
  const shop = { client: { name: 'shop' }, operations: ['orders.GetOrder'] };
  t.same(decide(shop), { allow: true, claims: { tenant: 'a' } });
  t.same(decide({ ...shop, client: { name: null } }), {
    allow: false,
    reason: 'This client has no tenant.',
  });
  t.match(decide({ ...shop, operations: ['orders.PlaceOrder'] }), { allow: Boolean });
  t.end();
});
