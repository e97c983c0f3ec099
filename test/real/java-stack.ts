import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Authority } from '../kit/certificates.js';
import { STACKS } from './stacks.js';

/** The keys that a program has a certificate for: by name, how openssl makes each. */
interface JavaKeys {
  readonly of: Readonly<Record<string, readonly string[]>>;
  /** Their extensions, as openssl writes them, and the alias in their stores. */
  readonly extensions: string;
  alias(name: string): string;
}

export interface JavaStack {
  /** The class path of the program. */
  readonly classes: string;
  /** The certificates, as PEM. */
  readonly certificates: readonly string[];
}

/** The password of all stores. */
export const STORE_PASSWORD = 'password';

/**
 * Builds a program of `stacks` with the libraries of its pom, in a folder of its own. Beside it are `authority.pem`, and for
 * each key `NAME.pem`, `NAME.key` and `NAME.p12`; the store `trust.p12` holds the authority.
 */
export function buildJava(folder: string, stack: string, main: string, keys: JavaKeys): JavaStack {
  const authority = new Authority(folder);
  const run = (file: string, ...args: readonly string[]): void => {
    execFileSync(file, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  writeFileSync(join(folder, 'authority.pem'), authority.ca.cert);
  const certificates = Object.entries(keys.of).map(([name, newKey]) => {
    const { cert, key } = authority.sign(name, 30, `/O=Bank/CN=${name}`, keys.extensions, newKey);
    writeFileSync(join(folder, `${name}.pem`), cert);
    writeFileSync(join(folder, `${name}.key`), key);
    const pair = ['-in', `${name}.pem`, '-inkey', `${name}.key`, '-name', keys.alias(name)];
    run(
      'openssl',
      'pkcs12',
      '-export',
      ...pair,
      '-out',
      `${name}.p12`,
      '-passout',
      `pass:${STORE_PASSWORD}`,
    );
    return cert;
  });
  const trust = ['-keystore', 'trust.p12', '-storetype', 'PKCS12', '-storepass', STORE_PASSWORD];
  run('keytool', '-importcert', '-noprompt', '-alias', 'ca', '-file', 'authority.pem', ...trust);
  const source = join(STACKS, stack);
  const libraries = join(folder, 'lib');
  const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${libraries}`];
  run('mvn', '-q', '-B', '-f', join(source, 'pom.xml'), ...copy);
  const classes = `${libraries}/*:${folder}`;
  run('javac', '-cp', classes, '-d', folder, join(source, main));
  return { classes, certificates };
}
