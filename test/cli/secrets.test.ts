import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startRecordingBackend } from '../kit/backend.js';
import { runCommand } from '../kit/command.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { startTestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useFolder } from '../kit/use.js';

/** Every way to give a secret to a service, with a secret that is found wherever it turns up. */
const KINDS: Readonly<Record<string, string>> = {
  fields: 'headers: { x-key: canary-field }',
  basic: 'auth: { basic: { username: web, password: canary-basic } }',
  environment: 'auth: { basic: { username: web, password: "$' + '{CANARY}" } }',
  bearer: 'auth: { bearer: { token: canary-bearer } }',
  file: 'auth: { bearer: { token: { file: secret } } }',
  digest: 'auth: { digest: { username: web, password: canary-digest } }',
  ntlm: 'auth: { ntlm: { username: web, domain: CORP, password: canary-ntlm } }',
  oauth2: 'auth: { oauth2: { tokenUrl: "URL/token", clientId: web, clientSecret: canary-oauth2 } }',
  security: 'security: { make: { usernameToken: { username: web, password: canary-security } } }',
  login:
    'auth: { login: { operation: Getlogin, arguments: { sku: canary-login }, token: ' +
    'reply.x, place: http:x-session } }',
  health:
    'health: { operation: Gethealth, arguments: { sku: canary-health }, expect: ' +
    '{ reply.x: canary-health } }',
  proxy: 'proxy: "http://web:canary-proxy@127.0.0.1:9"',
};
const FOUND = /canary|Y2FuYXJ5|jYW5hcn|Y2FuYX/i;

/** One service of each kind. `broken`: each secret is of a kind that its key does not take. */
const configuration = (url: string, broken: boolean): string =>
  `services:\n${Object.entries(KINDS)
    .map(([name, keys]) => {
      const line = broken ? keys.replace(/(?<=: )canary-\w+/, '[canary-broken]') : keys;
      return `  ${name}:
    url: ${url}/${name}
    namespace: urn:shop
    types: |
      type Query { ${name}(sku: String!): Int }
    operations:
      Get${name}: { field: Query.${name} }
    ${line.replace('URL', url)}
`;
    })
    .join('')}`;

process.env['CANARY'] = 'canary-environment';
const folder = (t: Test): Promise<string> => useFolder(t, { secret: 'canary-file' });

t.test('secrets of a service appear in no output of a command', async (t) => {
  const home = await folder(t);
  const file = join(home, 'soapstone.yaml');
  for (const broken of [false, true]) {
    await writeFile(file, configuration('http://backend.example', broken));
    for (const args of [
      ['check', '-c', file],
      ['schema', '-c', file],
      ...Object.keys(KINDS).map((name) => ['explain', '-c', file, `{ ${name}(sku: "1") }`]),
    ]) {
      const { code, all } = await runCommand(...args);
      t.equal(code === 2, broken, args.join(' '));
      t.notMatch(all, FOUND, args[0] ?? '');
      t.not(all, '');
    }
  }
});

t.test('nor in answers, log and metrics, whatever the backend does with them', async (t) => {
  const home = await folder(t);
  for (const answer of ['echo', 'refuse', 'cut'] as const) {
    const backend = await startRecordingBackend(({ headers, body }, response) => {
      if (answer === 'cut') response.destroy();
      else {
        const text = JSON.stringify(headers) + body.toString();
        const status = answer === 'refuse' ? 401 : 500;
        response
          .writeHead(status, {
            'content-type': 'text/xml',
            'www-authenticate': text.slice(0, 200).replace(/\s/g, ' '),
          })
          .end(text);
      }
    });
    const gateway = await startTestGateway(configuration(backend.url, false), home);
    const seen: string[] = [];
    for (const name of Object.keys(KINDS)) {
      const graphql = await postGraphql(gateway.url, { query: `{ ${name}(sku: "1") }` });
      const soap = await postSoap(
        `${gateway.url}/soap/${name}`,
        envelope(`<Get${name} xmlns="urn:shop"/>`),
      );
      for (const reply of [graphql, soap])
        seen.push(JSON.stringify([...reply.headers]), await reply.text());
    }
    t.ok(backend.complete.length > 0);
    seen.push(await gateway.metrics());
    await gateway.close();
    seen.push(JSON.stringify(gateway.logLines()));
    t.notMatch(seen.join('\n'), FOUND, answer);
    await backend.close();
  }
});
