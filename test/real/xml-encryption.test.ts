import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { answerBy } from '../kit/backend.js';
import { Authority, RSA_KEY } from '../kit/certificates.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';
import { withKeyInside } from './key-inside.js';
import { missing } from './programs.js';

/** xml-encryption of npm encrypts for the gateway, and decrypts what the gateway encrypts. */

const CONTENT = '<Pay xmlns="urn:desk"><sum>12 &amp; ä 😀</sum></Pay>';
const SCRIPT = fileURLToPath(
  new URL('../../../test/real/stacks/node/xml-encryption.cjs', import.meta.url),
);

t.test(
  'xml-encryption and the gateway decrypt the messages of each other',
  { skip: missing('xml-encryption', 'openssl') },
  async (t) => {
    const folder = t.testdir();
    const own = new Authority(folder).sign('own', 30, '/CN=own', 'DNS:a', RSA_KEY);
    writeFileSync(join(folder, 'own.pem'), own.cert);
    writeFileSync(join(folder, 'own.key'), own.key);
    const run = (input: string, ...args: readonly string[]): string =>
      execFileSync(process.execPath, [SCRIPT, ...args], {
        cwd: folder,
        input,
        stdio: ['pipe', 'pipe', 'ignore'],
      }).toString();
    const backend = await useBackend(
      t,
      answerBy(() => '<PayResponse xmlns="urn:desk"/>'),
    );
    const decrypt = 'decrypt: { keys: [{ key: { file: own.key }, cert: { file: own.pem } }] }';
    const encrypt = 'replace: true, encrypt: { cert: { file: own.pem }, algorithm:';
    const gateway = await useGateway(
      t,
      `services:
  opened: { url: "${backend.url}/a", security: { verify: { ${decrypt} } } }
  aes128: { url: "${backend.url}/a", security: { make: { ${encrypt} aes128-gcm } } } }
  aes256: { url: "${backend.url}/a", security: { make: { ${encrypt} aes256-gcm } } } }
`,
      folder,
    );
    for (const bits of ['128', '256']) {
      const data = run(CONTENT, 'encrypt', 'own.pem', `aes${bits}-gcm`);
      t.notMatch(data, /sum>/);
      const answer = await postSoap(`${gateway.url}/soap/opened`, envelope(data.trim()));
      t.equal(answer.status, 200, await answer.text());
      t.match(String(backend.complete.at(-1)?.body), CONTENT);

      const sent = await postSoap(`${gateway.url}/soap/aes${bits}`, envelope(CONTENT));
      t.equal(sent.status, 200, await sent.text());
      const message = String(backend.complete.at(-1)?.body);
      t.notMatch(message, /sum>/);
      const opened = run(withKeyInside(message), 'decrypt', 'own.key');
      t.match(opened, CONTENT, 'what the gateway has encrypted');
    }
  },
);
