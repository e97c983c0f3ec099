import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import t from 'tap';
import { channelBindingsOf } from '../../src/upstream/credentials/ntlm/channel-bindings.js';
import { md4 } from '../../src/upstream/credentials/ntlm/md4.js';
import {
  authenticateMessage,
  channelBindingsHash,
  lmResponse,
  negotiateMessage,
  ntowfv2,
  ntResponse,
  readChallengeMessage,
} from '../../src/upstream/credentials/ntlm/messages.js';
import { Ntlm } from '../../src/upstream/credentials/ntlm.js';
import { listen } from '../kit/listen.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

t.test('MD4 gives the digests of RFC 1320', async (t) => {
  const digests: Readonly<Record<string, string>> = {
    '': '31d6cfe0d16ae931b73c59d7e0c089c0',
    a: 'bde52cb31de33e46245e05fbdbd6fb24',
    abc: 'a448017aaf21d8525fc10ae87aa6729d',
    'message digest': 'd9130a8164549fe818874806e1c7014b',
    abcdefghijklmnopqrstuvwxyz: 'd79e1c308aa5bbcdeea8ed63df412da9',
    ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:
      '043f8582f241db351ce627e153e7f0e4',
    ['1234567890'.repeat(8)]: 'e33b4ddc9c38f2199c3e7b164fcc0536',
  };
  for (const [text, digest] of Object.entries(digests))
    t.equal(md4(Buffer.from(text)).toString('hex'), digest);
});

// [MS-NLMP] sections 4.2.1 and 4.2.4.
const ACCOUNT = { user: 'User', domain: 'Domain', password: 'Password' };
const PARTS = {
  serverChallenge: hex('0123456789abcdef'),
  clientChallenge: hex('aaaaaaaaaaaaaaaa'),
  time: Buffer.alloc(8),
};
const INFO = hex('02000c0044006f006d00610069006e0001000c005300650072007600650072000000 0000');
const CHALLENGE = hex(`
  4e544c4d53535000 02000000 0c000c00 38000000 33828ae2 0123456789abcdef 0000000000000000 24002400 \
44000000
  060070170000000f 530065007200760065007200 02000c0044006f006d00610069006e00 \
01000c00530065007200760065007200 00000000`);

t.test('keys and responses are those of MS-NLMP section 4.2.4', async (t) => {
  const key = ntowfv2(ACCOUNT);
  t.equal(key.toString('hex'), '0c868a403bfd7a93a3001ef22ef02e3f');
  t.equal(
    lmResponse(key, PARTS).toString('hex'),
    '86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa',
  );
  const { response, sessionKey } = ntResponse(key, PARTS, INFO);
  t.equal(response.subarray(0, 16).toString('hex'), '68cd0ab851e51c96aabc927bebef6a1c');
  t.equal(sessionKey.toString('hex'), '8de40ccadbc14a82f15cb0ad0de95ca3');
});

const TARGET = { name: 'HTTP/server', channelBindings: null };
const field = (message: Buffer, at: number): Buffer =>
  message.subarray(
    message.readUInt32LE(at + 4),
    message.readUInt32LE(at + 4) + message.readUInt16LE(at),
  );

t.test(
  'the first message is as long as one with Version: gss-ntlmssp refuses shorter ones',
  async (t) => {
    const message = negotiateMessage();
    t.equal(message.length, 40);
    t.equal(message.subarray(32).toString('hex'), '0'.repeat(16));
  },
);

t.test('the challenge of MS-NLMP section 4.2.4.3 is read and answered', async (t) => {
  const challenge = readChallengeMessage(CHALLENGE);
  t.equal(challenge.serverChallenge.toString('hex'), '0123456789abcdef');
  t.same(
    challenge.pairs.map(({ id, value }) => [id, value.toString('utf16le')]),
    [
      [2, 'Domain'],
      [1, 'Server'],
    ],
  );
  const message = authenticateMessage(ACCOUNT, negotiateMessage(), challenge, TARGET, PARTS);
  t.equal(field(message, 12).toString('hex'), '86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa');
  t.equal(field(message, 28).toString('utf16le'), 'Domain');
  t.equal(field(message, 36).toString('utf16le'), 'User');
  t.equal(
    message.subarray(72, 88).toString('hex'),
    '0'.repeat(32),
    'no check sum: the server sends no time',
  );
});

t.test('a server without Unicode gets names in its own charset', async (t) => {
  const oem = Buffer.from(CHALLENGE);
  oem.writeUInt32LE(((oem.readUInt32LE(20) & ~1) | 2) >>> 0, 20);
  const message = authenticateMessage(
    ACCOUNT,
    negotiateMessage(),
    readChallengeMessage(oem),
    TARGET,
    PARTS,
  );
  t.equal(field(message, 36).toString('latin1'), 'User');
  t.equal(message.readUInt32LE(60) & 3, 2);
});

t.test('what is no challenge is refused', async (t) => {
  const short = CHALLENGE.subarray(0, 31);
  const other = Buffer.from(CHALLENGE);
  other.writeUInt32LE(3, 8);
  const far = Buffer.from(CHALLENGE);
  far.writeUInt32LE(0xffffff00, 44);
  const long = Buffer.from(CHALLENGE);
  long.writeUInt16LE(0xffff, 70);
  for (const message of [Buffer.alloc(0), short, other, far, long]) {
    t.throws(() => readChallengeMessage(message), { code: 'UPSTREAM_AUTH' });
  }
});

t.test('channel bindings are hashed as RFC 5929 and MS-NLMP say', async (t) => {
  // The value that pyspnego computes.
  const hash = hex('E3CA49271E5089CC48CE82109F1324F41DBEDDC29A777410C738F7868C4FF405');
  t.equal(channelBindingsHash(hash).toString('hex'), '6ea19df066da4622051f9c4f92c6df74');
});

t.test('channel bindings have the hash of the signature of the certificate', async (t) => {
  const home = t.testdir();
  for (const digest of ['sha256', 'sha384', 'sha512']) {
    const [keyFile, certFile] = [join(home, `${digest}.key`), join(home, `${digest}.pem`)];
    const made = [
      '-newkey',
      'rsa:2048',
      '-nodes',
      `-${digest}`,
      '-subj',
      '/CN=shop',
      '-keyout',
      keyFile,
    ];
    execFileSync('openssl', ['req', '-x509', ...made, '-out', certFile], { stdio: 'ignore' });
    const cert = readFileSync(certFile);
    const server = createServer({ cert, key: readFileSync(keyFile) });
    const { port } = await listen(t, server);
    const socket = connect({
      port,
      host: '127.0.0.1',
      ca: cert,
      checkServerIdentity: () => undefined,
    });
    await once(socket, 'secureConnect');
    const hash = createHash(digest).update(new X509Certificate(cert).raw).digest();
    t.same(channelBindingsOf(socket), channelBindingsHash(hash), digest);
    socket.destroy();
  }
  t.equal(channelBindingsOf(new Socket()), null, 'a connection without TLS has none');
});

t.test(
  'after a refusal no handshake is begun for a while, unless one was accepted since',
  async (t) => {
    const ntlm = new Ntlm({ username: 'web', domain: 'CORP', password: () => 'canary' });
    t.match(ntlm.begin('shop').first, /^NTLM TlRMTVNTUAAB/);
    ntlm.ended(false);
    t.throws(() => ntlm.begin('shop'), { code: 'UPSTREAM_AUTH' });
    ntlm.ended(true);
    t.match(ntlm.begin('shop').first, /^NTLM TlRMTVNTUAAB/);
  },
);
