import { createHash } from 'node:crypto';
import t from 'tap';
import type { Refusal } from '../../src/core/refusals/refusal.js';
import { readChallenges } from '../../src/upstream/credentials/challenges.js';
import type { CallToAuthorize } from '../../src/upstream/credentials/credentials.js';
import { Digest } from '../../src/upstream/credentials/digest.js';
import type { ReplyHead } from '../../src/upstream/reply.js';

const plain = (values: readonly string[]) =>
  readChallenges(values).map(({ scheme, token, parameters }) => [
    scheme,
    token,
    Object.fromEntries(parameters),
  ]);

t.test('challenges of one field or several, with and without parameters', async (t) => {
  t.same(plain(['Negotiate, NTLM, Basic realm="a, \\"b\\""']), [
    ['negotiate', '', {}],
    ['ntlm', '', {}],
    ['basic', '', { realm: 'a, "b"' }],
  ]);
  t.same(plain(['NTLM TlRMTVNTUAACAAAA==', 'Digest realm=x, nonce = "n=1"']), [
    ['ntlm', 'TlRMTVNTUAACAAAA==', {}],
    ['digest', '', { realm: 'x', nonce: 'n=1' }],
  ]);
  t.same(plain(['', ',,', '"', '=x', 'Basic realm="open']), [['basic', '', {}]]);
  t.equal(readChallenges(['a,'.repeat(100_000)]).length, 16, 'sixteen are taken');
});

const headWith = (...values: string[]): ReplyHead => ({
  status: 401,
  header: () => values.join(', '),
  headers: () => values,
});

const call = (
  head: ReplyHead | null,
  method: 'GET' | 'POST' = 'GET',
  target = '/dir/index.html',
): CallToAuthorize => ({
  method,
  target,
  operation: '',
  isUpload: false,
  refused: head === null ? null : { head, fields: [] },
  observer: null,
  probe: () => Promise.reject(new Error('not asked')),
});

const fieldOf = (digest: Digest, asked: CallToAuthorize): string => {
  const fields = digest.fields(asked);
  return fields instanceof Promise ? '' : (fields[1] ?? '');
};

/** The parameters of an Authorization field. */
const parts = (field: string) => new Map(readChallenges([field])[0]?.parameters);

const hash = (algorithm: string, text: string): string =>
  createHash(algorithm).update(text).digest('hex');

t.test('the example of RFC 7616 section 3.9.1, for each algorithm', async (t) => {
  const challenge = (algorithm: string): string =>
    `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ' +
    'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
  for (const [written, name] of [
    ['MD5', 'md5'],
    ['SHA-256', 'sha256'],
    ['SHA-512-256', 'sha512-256'],
  ] as const) {
    const digest = new Digest('Mufasa', 'Circle of Life');
    const found = parts(fieldOf(digest, call(headWith(challenge(written)))));
    const secret = hash(name, 'Mufasa:http-auth@example.org:Circle of Life');
    const request = hash(name, 'GET:/dir/index.html');
    const expected = `${secret}:${found.get('nonce')}:00000001:${found.get('cnonce')}:auth:${request}`;
    t.equal(found.get('response'), hash(name, expected), written);
    t.equal(found.get('opaque'), 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS');
    t.equal(parts(fieldOf(digest, call(null))).get('nc'), '00000002', 'the nonce serves again');
  }
});

t.test('the strongest algorithm that is known is taken, whatever the order', async (t) => {
  const digest = new Digest('u', 'p');
  const head = headWith(
    'Digest realm=r, nonce=1, qop=auth',
    'Digest realm=r, nonce=2, qop=auth, algorithm=SHA-256',
  );
  t.equal(parts(fieldOf(digest, call(head))).get('algorithm'), 'SHA-256');
});

t.test('what cannot be met is refused', async (t) => {
  for (const challenge of [
    'Basic realm=r',
    'Digest realm=r',
    'Digest nonce=1, qop="auth-int"',
    'Digest nonce=1, algorithm=X',
  ]) {
    const digest = new Digest('u', 'p');
    t.throws(() => digest.fields(call(headWith(challenge))), {
      code: 'UPSTREAM_AUTH',
    } satisfies Partial<Refusal>);
  }
});

t.test('servers of RFC 2069, sessions and hidden users', async (t) => {
  const digest = new Digest('u"', 'p');
  const old = parts(fieldOf(digest, call(headWith('Digest realm=r, nonce=1'), 'POST', '/x?y=1')));
  t.equal(
    old.get('response'),
    hash('md5', `${hash('md5', 'u":r:p')}:1:${hash('md5', 'POST:/x?y=1')}`),
  );
  t.equal(old.get('username'), 'u"');
  t.equal(old.has('qop'), false);
  const session = parts(
    fieldOf(
      digest,
      call(headWith('Digest realm=r, nonce=1, qop=auth, algorithm=MD5-sess, userhash=true')),
    ),
  );
  const secret = hash('md5', `${hash('md5', 'u":r:p')}:1:${session.get('cnonce')}`);
  const expected =
    `${secret}:1:00000001:${session.get('cnonce')}:auth:` + `${hash('md5', 'GET:/dir/index.html')}`;
  t.equal(session.get('response'), hash('md5', expected));
  t.equal(session.get('username'), hash('md5', 'u":r'));
});
