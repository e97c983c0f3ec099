import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { answerBy } from '../kit/backend.js';
import { Authority, type Identity, RSA_KEY } from '../kit/certificates.js';
import { type EncryptOptions, encryptBody, XENC, XENC11 } from '../kit/encrypted-message.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';
import { buildJava, missingLibraries, STORE_PASSWORD } from './java-stack.js';
import { LineProgram } from './line-program.js';
import { missing } from './programs.js';

/** WSS4J, xmlsec1 and the gateway take and refuse the same encrypted messages. */

const CONTENT = '<Pay xmlns="urn:desk"><sum>12 &amp; ä 😀</sum></Pay>';
/** Messages for each of the two programs; `VERDICTS=1000` is a long run. */
const TOTAL = Number(process.env['VERDICTS'] ?? 200);
const MESSAGES = { wss4j: Math.ceil(TOTAL * 0.7), xmlsec1: Math.ceil(TOTAL * 0.3) };
/** Messages that are out at the same time: a refusal is answered after a delay. */
const AT_ONCE = 8;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const KEY = /(?<=<xenc:EncryptedKey .*?<xenc:CipherValue>)[^<]*/s;
/** The CipherValue of the content is the last one, wherever the key is. */
const CONTENT_LETTERS =
  /(?<=<xenc:CipherValue>)[^<]*(?=<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>)/;

/** The same alterations in every run; `FUZZ_SEED` gives others. */
let seed = Number(process.env['FUZZ_SEED'] ?? 20010212);

function pick(count: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * count);
}

const withLetter = (letters: string): string => {
  // Not in the last group: its letters have bits that stand for nothing.
  const at = pick(letters.length - 4);
  const other = LETTERS[(LETTERS.indexOf(letters[at] ?? '') + 1 + pick(62)) % 64] ?? 'A';
  return `${letters.slice(0, at)}${other}${letters.slice(at + 1)}`;
};

const changed =
  (place: RegExp, change: (letters: string) => string) =>
  (message: string): string =>
    message.replace(place, change);

/** Alterations of a message, by name; `none` is a sound one. */
const ALTERATIONS: Readonly<Record<string, (message: string) => string>> = {
  none: (message) => message,
  'a letter of the content': changed(CONTENT_LETTERS, withLetter),
  'a letter of the key': changed(KEY, withLetter),
  'content that is cut': changed(CONTENT_LETTERS, (letters) => letters.slice(0, -4)),
  'content without its tag': changed(CONTENT_LETTERS, (letters) => letters.slice(0, 12)),
  'a line end in the content': changed(CONTENT_LETTERS, (letters) => {
    const at = pick(letters.length);
    return `${letters.slice(0, at)}\n${letters.slice(at)}`;
  }),
  'another cipher': (message) =>
    message.replace(/aes(256|128)-gcm/, (name) =>
      name === 'aes256-gcm' ? 'aes128-gcm' : 'aes256-gcm',
    ),
  'an unknown cipher': (message) => message.replace(/aes\d+-gcm/, 'aes-gcm'),
  'another transport': (message) => message.replace('rsa-oaep-mgf1p', 'rsa-1_5'),
  'no EncryptedKey': (message) =>
    message.replace(/<xenc:EncryptedKey .*<\/xenc:EncryptedKey>/s, ''),
  'no CipherValue': changed(
    /<xenc:CipherValue>[^<]*<\/xenc:CipherValue>(?=<\/xenc:CipherData><\/xenc:EncryptedData>)/,
    () => '',
  ),
  'Type of an element': (message) => message.replace(`${XENC}Content`, `${XENC}Element`),
};

/** Where verdicts differ, and the reason. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ['another cipher', 'WSS4J decrypts by the length of the key, whatever cipher is named'],
]);

interface Verdicts {
  readonly name: string;
  readonly gateway: boolean;
  readonly other: boolean;
}

/** A key of the gateway, in its folder. */
function identityIn(folder: string): Identity {
  const own = new Authority(folder).sign('own', 30, '/O=Bank/CN=own', 'DNS:a', RSA_KEY);
  writeFileSync(join(folder, 'own.pem'), own.cert);
  writeFileSync(join(folder, 'own.key'), own.key);
  return own;
}

/** Whether the gateway takes a message. */
async function useVerdict(t: Test, folder: string, names: readonly string[]) {
  const backend = await useBackend(
    t,
    answerBy(() => '<PayResponse xmlns="urn:desk"/>'),
  );
  const keys = names.map((name) => `{ key: { file: ${name}.key }, cert: { file: ${name}.pem } }`);
  const gateway = await useGateway(
    t,
    `services:
  desk:
    url: "${backend.url}/a"
    security: { verify: { decrypt: { keys: [${keys.join(', ')}], required: [Body] } } }
limits: { http: { refusalsPerSecond: 0 } }
`,
    folder,
  );
  return async (message: string): Promise<boolean> => {
    const answer = await postSoap(`${gateway.url}/soap/desk`, message);
    await answer.text();
    return answer.status === 200;
  };
}

/** Alters messages and compares the verdicts of both, but for those of the list. */
async function compareVerdicts(
  t: Test,
  count: number,
  make: (index: number) => Promise<string> | string,
  verdict: (message: string) => Promise<boolean>,
  other: (message: string) => Promise<boolean>,
): Promise<void> {
  const names = Object.keys(ALTERATIONS);
  const all: Verdicts[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      // A third is sound.
      const name = index % 3 === 0 ? 'none' : (names[1 + (index % (names.length - 1))] ?? 'none');
      const message = ALTERATIONS[name]?.(await make(index)) ?? '';
      const [gateway, theirs] = await Promise.all([verdict(message), other(message)]);
      all.push({ name, gateway, other: theirs });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  t.equal(all.length, count);
  const sound = all.filter(({ name }) => name === 'none');
  t.ok(
    sound.length > 0 && sound.every(({ gateway, other: theirs }) => gateway && theirs),
    'sound ones',
  );
  const differing = all.filter(
    ({ name, gateway, other: theirs }) => gateway !== theirs && !DIFFERENCES.has(name),
  );
  const shown = differing.map(({ name, gateway }) => `${name}: ${gateway ? 'taken' : 'refused'}`);
  t.same([...new Set(shown)], [], 'verdicts are the same but for the list');
  const taken = all.filter(({ name, gateway }) => name.startsWith('a letter') && gateway);
  t.equal(taken.length, 0, 'no altered content is taken');
}

t.test(
  'WSS4J and the gateway take the same messages',
  { skip: missing('maven', 'openssl') },
  async (t) => {
    const reason = missingLibraries('wss4j');
    if (reason !== false) return void (await t.skip(reason, () => {}));
    const folder = t.testdir();
    const { classes } = buildJava(folder, 'wss4j', 'Messages.java', {
      of: { rsa: RSA_KEY },
      extensions: 'DNS:a\nsubjectKeyIdentifier=hash',
      alias: () => 'k',
    });
    const wss4j = new LineProgram(['java', '-cp', classes, 'Messages', folder, STORE_PASSWORD]);
    t.teardown(() => wss4j.close());
    const verdict = await useVerdict(t, folder, ['rsa']);
    const references = ['ISSUER_SERIAL', 'SKI_KEY_IDENTIFIER', 'THUMBPRINT_IDENTIFIER'];
    const make = async (index: number): Promise<string> => {
      const reference = references[index % references.length];
      const cipher = `${XENC11}${index % 2 === 0 ? 'aes256-gcm' : 'aes128-gcm'}`;
      const words = ['encrypt', reference, 'rsa', cipher, `${XENC}rsa-oaep-mgf1p`, 'plain'];
      return Buffer.from(await wss4j.ask(words.join(' ')), 'base64').toString();
    };
    const open = async (message: string): Promise<boolean> => {
      const opened = await wss4j.ask(`open rsa ${Buffer.from(message).toString('base64')}`);
      return opened.startsWith('encrypted ');
    };
    await compareVerdicts(t, MESSAGES.wss4j, make, verdict, open);
  },
);

t.test(
  'xmlsec1 and the gateway take the same messages',
  { skip: missing('xmlsec1', 'openssl') },
  async (t) => {
    const folder = t.testdir();
    const own = identityIn(folder);
    const verdict = await useVerdict(t, folder, ['own']);
    const make = (index: number): string => {
      const cipher = index % 2 === 0 ? 'aes256-gcm' : 'aes128-gcm';
      const options: EncryptOptions = { cipher, connection: 'inside', reference: 'none' };
      return encryptBody(envelope(CONTENT), own, options);
    };
    let files = 0;
    const decrypt = async (message: string): Promise<boolean> => {
      const file = join(folder, `message-${files++}.xml`);
      writeFileSync(file, message);
      const run = spawn('xmlsec1', ['--decrypt', '--privkey-pem', 'own.key', file], {
        cwd: folder,
        stdio: 'ignore',
      });
      const [code] = await once(run, 'exit');
      return code === 0;
    };
    await compareVerdicts(t, MESSAGES.xmlsec1, make, verdict, decrypt);
  },
);
