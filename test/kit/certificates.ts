import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';

/** Certificate and key, as PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** How an authority signs: by a digest, with further extensions in the form of openssl. */
export interface Signing {
  readonly digest?: string;
  readonly extensions?: string;
}

/** An authority that signs certificates with `openssl`, in a folder of its own. */
export class Authority {
  readonly #directory: string;
  readonly ca: Identity;

  /** The authority that has this certificate. */
  static of(directory: string, ca: Identity): Authority {
    return new Authority(directory, 'authority', NEW_KEY, ca);
  }

  /** `selfSigned`: options of openssl for the certificate of the authority. */
  constructor(
    directory: string,
    name = 'authority',
    selfSigned: readonly string[] = NEW_KEY,
    ca: Identity | null = null,
  ) {
    this.#directory = directory;
    if (ca !== null) {
      this.ca = ca;
      return;
    }
    const [key, cert] = [this.#file(`${name}.key`), this.#file(`${name}.pem`)];
    openssl(
      'req',
      '-x509',
      ...selfSigned,
      '-keyout',
      key,
      '-out',
      cert,
      '-subj',
      `/CN=${name}`,
      '-days',
      '3650',
    );
    this.ca = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  }

  /**
   * Signs a certificate for a name, and for 127.0.0.1. `subject`, `alternatives` and the options of
   * the new key are in the form of openssl.
   */
  sign(
    name: string,
    days = 365,
    subject = `/CN=${name}`,
    alternatives = `DNS:${name},IP:127.0.0.1`,
    newKey: readonly string[] = NEW_KEY,
    { digest = 'sha256', extensions = '' }: Signing = {},
  ): Identity {
    const [key, csr, cert] = [
      this.#file(`${name}.key`),
      this.#file(`${name}.csr`),
      this.#file(`${name}.pem`),
    ];
    if (newKey === RSA_KEY) {
      writeFileSync(key, nextRsaKey());
      openssl('req', '-new', '-key', key, '-out', csr, '-utf8', '-subj', subject);
    } else openssl('req', ...newKey, '-keyout', key, '-out', csr, '-utf8', '-subj', subject);
    const [caCert, caKey, names] = [
      this.#file('ca.pem'),
      this.#file('ca.key'),
      this.#file('names'),
    ];
    writeFileSync(caCert, this.ca.cert);
    writeFileSync(caKey, this.ca.key);
    const alternative = alternatives === '' ? '' : `subjectAltName=${alternatives}\n`;
    writeFileSync(names, alternative + extensions);
    const authority = ['-CA', caCert, '-CAkey', caKey, '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      csr,
      ...authority,
      '-out',
      cert,
      '-extfile',
      names,
      '-days',
      String(days),
      `-${digest}`,
    );
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  }

  /**
   * Adds the certificates of these names to the revocation list, and returns it; it expires so many
   * seconds later.
   */
  revoke(names: readonly string[], seconds = 86_400, digest = 'sha256'): string {
    const [database, number, config] = [
      this.#file('index.txt'),
      this.#file('crlnumber'),
      this.#file('ca.cnf'),
    ];
    const [caCert, caKey, list] = [
      this.#file('ca.pem'),
      this.#file('ca.key'),
      this.#file('crl.pem'),
    ];
    if (!existsSync(database)) writeFileSync(database, '');
    if (!existsSync(number)) writeFileSync(number, '01');
    writeFileSync(
      config,
      `[ca]\ndefault_ca=own\n[own]\ndatabase=${database}\ncrlnumber=${number}\n` +
        `default_md=${digest}\n`,
    );
    const authority = ['ca', '-config', config, '-keyfile', caKey, '-cert', caCert];
    for (const name of names) openssl(...authority, '-revoke', this.#file(`${name}.pem`));
    openssl(...authority, '-gencrl', '-crlsec', String(seconds), '-out', list);
    return readFileSync(list, 'utf8');
  }

  /** Certificate and key as PKCS #12. */
  pack(name: string, password: string): Buffer {
    const file = this.#file(`${name}.pfx`);
    const parts = ['-inkey', this.#file(`${name}.key`), '-in', this.#file(`${name}.pem`)];
    openssl('pkcs12', '-export', ...parts, '-out', file, '-passout', `pass:${password}`);
    return readFileSync(file);
  }

  #file(name: string): string {
    return join(this.#directory, name);
  }
}

/** Options of openssl for other keys. */
export const RSA_KEY = ['-newkey', 'rsa:2048', '-nodes'];
export const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/**
 * Each takes about 150 ms of the processor to make. So many in turn: one test uses fewer, and gets
 * different ones.
 */
const RSA_KEYS = 8;
const rsaKeys: string[] = [];
let rsaKeysUsed = 0;

function nextRsaKey(): string {
  const index = rsaKeysUsed++ % RSA_KEYS;
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
  rsaKeys[index] ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding,
    publicKeyEncoding,
  }).privateKey;
  return rsaKeys[index];
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}

/** Whether `openssl` is installed. */
export function hasOpenssl(): boolean {
  try {
    openssl('version');
    return true;
  } catch {
    return false;
  }
}

/** Options of a test that makes certificates. */
export const WITH_OPENSSL = {
  skip: hasOpenssl() ? false : 'openssl is missing: apt-get install openssl',
};

/**
 * An authority and an identity of this subject, with the files `c.pem`, `k.pem` and `ca.pem` of a
 * folder.
 */
export function makeKeys(
  t: Pick<Test, 'testdir'>,
  subject: string,
  newKey: readonly string[] = RSA_KEY,
) {
  const folder = t.testdir();
  const authority = new Authority(folder);
  const identity = authority.sign('own', 30, subject, 'DNS:a', newKey);
  const files = { 'c.pem': identity.cert, 'k.pem': identity.key, 'ca.pem': authority.ca.cert };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, authority, identity };
}
