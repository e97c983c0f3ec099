import { createHash, X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import t from 'tap';
import { Authority, type Identity, WITH_OPENSSL } from '../kit/certificates.js';
import { useCrm } from '../kit/crm.js';
import { ISSUER, makeIssuer } from '../kit/token-issuer.js';
import { useFolder } from '../kit/use.js';

/** Tokens that are bound to the certificate of the TLS connection (RFC 8705 section 3). */

const QUERY = JSON.stringify({ query: '{ getCustomer(id: 1) { name } }' });

const thumbprintOf = ({ cert }: Identity): string =>
  createHash('sha256').update(new X509Certificate(cert).raw).digest('base64url');

t.test('a token that is bound to a certificate comes with it', WITH_OPENSSL, async (t) => {
  const folder = await useFolder(t);
  const authority = new Authority(folder);
  const server = authority.sign('a.example');
  const [own, other] = [authority.sign('own'), authority.sign('other')];
  await writeFile(join(folder, 'ca.pem'), authority.ca.cert);
  await writeFile(join(folder, 'server.pem'), server.cert);
  await writeFile(join(folder, 'server.key'), server.key);
  const file = (name: string): string => `{ file: ${join(folder, name)} }`;
  const issuer = await makeIssuer();
  const { gateway } = await useCrm(
    t,
    '',
    `listen:
  - address: "127.0.0.1:0"
    tls:
      cert: ${file('server.pem')}
      key: ${file('server.key')}
      clientCertificate: optional
      clientCa: ${file('ca.pem')}
clients:
  ${issuer.yaml('class: all, proof: mtls')}
  classes: { all: {} }
`,
  );
  const { port } = new URL(gateway.url);
  const agents = new Map<Identity | null, Agent>();
  t.teardown(() => {
    for (const agent of agents.values()) agent.destroy();
  });
  /** Several calls over one connection, which resumes its session when it is made anew. */
  const ask = (identity: Identity | null, token: string, keepAlive = true): Promise<number> => {
    const agent = agents.get(identity) ?? new Agent({ keepAlive });
    agents.set(identity, agent);
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const sent = request({
        ...{ host: '127.0.0.1', port, path: '/graphql', method: 'POST', headers, agent },
        ...{ ca: authority.ca.cert, servername: 'a.example', ...(identity ?? {}) },
      });
      sent.on('response', (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      sent.on('error', reject).end(QUERY);
    });
  };
  const bound = await issuer.sign({ cnf: { 'x5t#S256': thumbprintOf(own) } });
  t.equal(await ask(own, bound), 200);
  t.equal(await ask(own, bound), 200, 'again');
  agents.get(own)?.destroy();
  t.equal(await ask(own, bound), 200, 'over another connection');
  t.equal(await ask(other, bound), 401, 'the certificate of another client');
  t.equal(await ask(null, bound), 401, 'no certificate');
  t.equal(await ask(own, await issuer.sign({})), 401, 'a token that is bound to nothing');
  t.equal(
    await ask(own, await issuer.sign({ cnf: { 'x5t#S256': `${thumbprintOf(own)}A` } })),
    401,
    'a thumbprint that is none',
  );
  t.match(ISSUER, /^https:/);
});
