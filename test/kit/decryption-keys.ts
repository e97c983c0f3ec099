import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Identity, makeKeys, RSA_KEY } from './certificates.js';

/** Keys that messages are encrypted for, and those of others. */
export interface DecryptionKeys {
  readonly folder: string;
  readonly own: Identity;
  readonly next: Identity;
  readonly other: Identity;
  readonly client: Identity;
  /** The key `decrypt`, with further keys. */
  decrypt(more?: string): string;
}

export function makeDecryptionKeys(t: Test): DecryptionKeys {
  const { folder, authority, identity: client } = makeKeys(t, '/O=Bank/OU=Clients/CN=erp');
  const made = ['own', 'next', 'other'].map((name) => {
    const identity = authority.sign(name, 30, `/O=Bank/CN=${name}`, 'DNS:a', RSA_KEY, {
      extensions: '\nsubjectKeyIdentifier=hash\n',
    });
    writeFileSync(join(folder, `${name}.crt`), identity.cert);
    writeFileSync(join(folder, `${name}.key`), identity.key);
    return identity;
  });
  const [own, next, other] = made;
  if (own === undefined || next === undefined || other === undefined) throw new Error('no keys');
  const entry = (name: string): string =>
    `{ key: { file: ${join(folder, `${name}.key`)} }, ` +
    `cert: { file: ${join(folder, `${name}.crt`)} } }`;
  return {
    folder,
    own,
    next,
    other,
    client,
    decrypt: (more = '') => `decrypt: { keys: [${entry('own')}, ${entry('next')}]${more} }`,
  };
}
