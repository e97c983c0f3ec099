import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { RSA_KEY } from '../kit/certificates.js';
import { freePort } from '../kit/free-port.js';
import { useBackend, useGateway } from '../kit/use.js';
import { buildJava, missingLibraries, STORE_PASSWORD } from './java-stack.js';
import { missing } from './programs.js';

/**
 * CXF as client and as service, with its streaming engine of WS-Security; the gateway verifies both
 * ways between them.
 */

async function start(t: Test) {
  const folder = t.testdir();
  const { classes } = buildJava(folder, 'cxf', 'Desk.java', {
    of: { service: RSA_KEY, client: RSA_KEY, other: RSA_KEY },
    extensions: 'DNS:a',
    alias: (name) => name,
  });
  const url = `http://127.0.0.1:${await freePort()}/desk`;
  const child = spawn('java', ['-cp', classes, 'Desk', folder, STORE_PASSWORD, url], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  t.teardown(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  t.equal((await lines.next()).value, 'ready');
  // Alters what the service has signed, where it is told to.
  const alter = { reply: (text: string): string => text, request: (text: string): string => text };
  const between = await useBackend(t, async ({ body, headers }, response) => {
    const head = { 'content-type': String(headers['content-type']), soapaction: '""' };
    const answer = await fetch(url, {
      method: 'POST',
      headers: head,
      body: alter.request(String(body)),
    });
    const text = alter.reply(await answer.text());
    response
      .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      .end(text);
  });
  const service = (name: string, security: string): string => `
  ${name}:
    url: ${between.url}/desk
    namespace: urn:desk
    types: |
      type Query { ${name}(sum: String!): ${name}Paid }
      type ${name}Paid { id: String }
    operations:
      Pay: { field: Query.${name} }
    security:
      ${security}`;
  const signature = (subject: string): string =>
    'timestamp: { required: true }, signature: { authorities: { file: authority.pem }, ' +
    `subjects: ["CN=${subject}"], required: [Body, Timestamp] }`;
  const own = 'signature: { cert: { file: client.pem }, key: { file: client.key } }';
  const gateway = await useGateway(
    t,
    `services:${service(
      'passed',
      `verify: { ${signature('client')} }\n\
      verifyReplies: { ${signature('service')} }`,
    )}${service(
      'made',
      `make: { timestamp: true, ${own} }\n      verifyReplies: { ${signature('service')}, \
signatureConfirmation: true, remove: true }`,
    )}` +
      `${service(
        'wrong',
        `make: { timestamp: true, ${own} }\n\
      verifyReplies: { ${signature('other')} }`,
      )}\n`,
    folder,
  );
  return {
    alter,
    gateway,
    async call(name: string, sum: string): Promise<string> {
      child.stdin.write(`call ${gateway.url}/soap/${name} ${sum}\n`);
      const { value = '' } = await lines.next();
      return value.startsWith('error') ? value : String(Buffer.from(value, 'base64'));
    },
    async ask(name: string, sum: string): Promise<string> {
      const body = JSON.stringify({
        query: `query($sum: String!) { ${name}(sum: $sum) { id } }`,
        variables: { sum },
      });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body })).text();
    },
  };
}

t.test(
  'CXF signs and verifies both ways through the gateway',
  { skip: missing('maven', 'openssl') },
  async (t) => {
    // Maven fetches CXF.
    t.setTimeout(240_000);
    const reason = missingLibraries('cxf');
    if (reason !== false) return void (await t.skip(reason, () => {}));
    const { alter, gateway, call, ask } = await start(t);
    const long = 'é 1 &amp; '.repeat(30_000);
    for (const sum of ['12', 'ä &lt;&amp;&gt; x', long])
      t.ok((await call('passed', sum)).includes(`<id>${sum}</id>`), sum.slice(0, 20));
    t.match(await ask('made', '12 ä'), '"id":"12 ä"', 'with its SignatureConfirmation');
    t.match(await ask('wrong', '12'), 'UPSTREAM_INVALID_RESPONSE', 'another one signs');
    alter.reply = (text) => text.replace('>12<', '>13<');
    t.match(await ask('made', '12'), 'UPSTREAM_INVALID_RESPONSE', 'an altered reply');
    t.match(String(gateway.logLines().at(-1)?.['detail']), 'wsse:FailedCheck');
    t.match(
      await call('passed', '12'),
      /^error .*no valid answer/,
      'an altered reply to a signed call',
    );
    alter.reply = (text) => text;
    alter.request = (text) => text.replace('>12<', '>13<');
    t.match(await ask('made', '12'), /"errors"/, 'CXF refuses what was altered behind the gateway');
  },
);
