import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  Authority,
  type Identity,
  NEW_KEY,
  RSA_KEY,
  type Signing,
  WITH_OPENSSL,
} from '../kit/certificates.js';
import { signedMessage } from '../kit/signed-message.js';
import { useFolder } from '../kit/use.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

/**
 * Certificates of a chain: by which digest each is signed, and how strong the keys of authorities
 * are.
 */

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';
const CA = 'basicConstraints=critical,CA:TRUE\n';

const writePems = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
};

const verify = (folder: string, more = ''): string => `signature:
  authorities: { file: ${join(folder, 'ca.pem')} }
  subjects: ["OU=Clients"]
  required: [Body, Timestamp]${more}`;

const signClient = (authority: Authority, name: string, signing: Signing): Identity =>
  authority.sign(name, 30, `/OU=Clients/CN=${name}`, '', RSA_KEY, signing);

t.test('a certificate that is signed with MD5 or SHA-1 is not trusted', WITH_OPENSSL, async (t) => {
  const folder = await useFolder(t);
  // The signature of the authority itself does not count.
  const authority = new Authority(folder, 'authority', [...RSA_KEY, '-sha1']);
  writePems(folder, { 'ca.pem': authority.ca.cert });
  const desk = await useVerifyingDesk(t, verify(folder));
  const relaxed = await useVerifyingDesk(t, verify(folder, '\n  chainDigests: [sha1, sha256]'));
  for (const [digest, isStrict, isLoose] of [
    ['sha512', true, false],
    ['sha384', true, false],
    ['sha256', true, true],
    ['sha1', false, true],
    ['md5', false, false],
  ] as const) {
    const client = signClient(authority, digest, { digest });
    const { message } = signedMessage(client, CONTENT);
    t.equal((await desk.send(message)) === null, isStrict, `${digest} by default`);
    t.equal((await relaxed.send(message)) === null, isLoose, `${digest} with SHA-1`);
  }
  const log = JSON.stringify(desk.gateway.logLines());
  t.match(log, /it is signed with SHA-1/);
  t.match(log, /it is signed with MD5/);
});

t.test('an authority below another one is signed no weaker', WITH_OPENSSL, async (t) => {
  for (const digest of ['sha1', 'sha256']) {
    const folder = await useFolder(t);
    const root = new Authority(folder);
    const middle = root.sign('middle', 30, '/CN=middle', '', NEW_KEY, { digest, extensions: CA });
    const below = Authority.of(await useFolder(t), middle);
    writePems(folder, { 'ca.pem': root.ca.cert, 'middle.pem': middle.cert });
    const more = `\n  intermediates: { file: ${join(folder, 'middle.pem')} }`;
    const desk = await useVerifyingDesk(t, verify(folder, more));
    const { message } = signedMessage(signClient(below, 'client', {}), CONTENT);
    t.equal((await desk.send(message)) === null, digest === 'sha256', digest);
    // An authority that is trusted by itself has no signature that counts.
    const trusted = await useVerifyingDesk(t, verify(folder).replace('ca.pem', 'middle.pem'));
    t.equal(await trusted.send(message), null, `${digest}, trusted itself`);
  }
});

t.test(
  'authorities with short keys, and lists signed with SHA-1, are errors',
  WITH_OPENSSL,
  async (t) => {
    const folder = await useFolder(t);
    for (const [name, key] of [
      ['1024 bits', ['-newkey', 'rsa:1024', '-nodes']],
      ['curve', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-224', '-nodes']],
    ] as const) {
      writePems(folder, { 'ca.pem': new Authority(await useFolder(t), 'weak', key).ca.cert });
      await t.rejects(
        useVerifyingDesk(t, verify(folder)),
        new RegExp(`Certificate 1 .*${name}`),
        name,
      );
      const strong = new Authority(await useFolder(t));
      writePems(folder, {
        'middle.pem': new Authority(await useFolder(t), 'weak', key).ca.cert,
        'ca.pem': strong.ca.cert,
      });
      const more = `\n  intermediates: { file: ${join(folder, 'middle.pem')} }`;
      await t.rejects(
        useVerifyingDesk(t, verify(folder, more)),
        new RegExp(`Certificate 1 .*${name}`),
      );
    }
    const authority = new Authority(await useFolder(t));
    const client = signClient(authority, 'client', {});
    writePems(folder, {
      'ca.pem': authority.ca.cert,
      'crl.pem': authority.revoke([], 86_400, 'sha1'),
    });
    const lists = `\n  revocations: { file: ${join(folder, 'crl.pem')} }`;
    await t.rejects(
      useVerifyingDesk(t, verify(folder, lists)),
      /List 1 of `revocations` is signed with SHA-1, which is not among `chainDigests`/,
    );
    const relaxed = await useVerifyingDesk(
      t,
      verify(folder, `${lists}\n  chainDigests: [sha1, sha256]`),
    );
    t.equal(await relaxed.send(signedMessage(client, CONTENT).message), null);
  },
);
