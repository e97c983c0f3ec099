import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

/** Maven waits long for a network that answers nothing. */
const MAVEN_MILLIS_MAX = 180_000;
/** Of what Maven wrote, for the message of its failure. */
const OUTPUT_CHARS_MAX = 2_000;

/**
 * What Maven writes where no repository is reached; artifacts that no repository has are an error
 * of the pom.
 */
const UNREACHED =
  /Could not transfer|No plugin found for prefix|Unknown host|unreachable|Connection (?:refused|reset|timed out)|name resolution|timed out/i;

/** The folders of the libraries of stacks. */
const libraries = new Map<string, string>();

/**
 * False when Maven has the libraries of a stack, else the reason to skip with how to get them.
 * Throws other errors.
 */
export function missingLibraries(stack: string): false | string {
  if (libraries.has(stack)) return false;
  const pom = join(STACKS, stack, 'pom.xml');
  const folder = mkdtempSync(join(tmpdir(), 'soapstone-java-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = (...mode: readonly string[]) =>
    spawnSync(
      'mvn',
      [
        ...['-q', '-B', ...mode, '-f', pom],
        ...['dependency:copy-dependencies', `-DoutputDirectory=${folder}`],
      ],
      { encoding: 'utf8', timeout: MAVEN_MILLIS_MAX },
    );
  const fetched = copy('--offline').status === 0 ? null : copy();
  if (fetched === null || fetched.status === 0) {
    libraries.set(stack, folder);
    return false;
  }
  const output = `${fetched.error?.message ?? ''}${fetched.stdout}${fetched.stderr}`;
  if (fetched.error === undefined && !UNREACHED.test(output))
    throw new Error(`Maven fails for ${pom}: ${output.slice(0, OUTPUT_CHARS_MAX)}`);
  return (
    `Maven has no libraries of ${stack} and reaches no repository: with a network, once, mvn -f ` +
    `${pom} dependency:copy-dependencies`
  );
}

/**
 * Builds a program of `stacks` with the libraries of its pom, in a folder of its own. Beside it are
 * `authority.pem`, and for each key `NAME.pem`, `NAME.key` and `NAME.p12`; the store `trust.p12`
 * holds the authority.
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
  const reason = missingLibraries(stack);
  if (reason !== false) throw new Error(reason);
  const classes = `${libraries.get(stack) ?? ''}/*:${folder}`;
  run('javac', '-cp', classes, '-d', folder, join(source, main));
  return { classes, certificates };
}
