import { gunzipSync } from 'node:zlib';
import t from 'tap';

import {
  COMPRESS_BYTES_MAX,
  COMPRESS_BYTES_MIN,
  COMPRESSIONS_AT_ONCE,
  compress,
  hasAmbientCredentials,
  takesGzip,
} from '../../src/gateway/compress.js';

const answer = (bytes: number): Buffer => Buffer.alloc(bytes, '{"sku":"A-1","quantity":7},');

t.test('an answer is compressed from the lower bound to the upper one', async (t) => {
  for (const bytes of [COMPRESS_BYTES_MIN - 1, COMPRESS_BYTES_MAX + 1])
    t.equal(compress(answer(bytes)), null, `${bytes}`);
  for (const bytes of [COMPRESS_BYTES_MIN, 32 * 1024, 32 * 1024 + 1, COMPRESS_BYTES_MAX]) {
    const body = answer(bytes);
    const compressed = await compress(body);
    t.ok(compressed !== null && compressed.length < bytes / 2, `${bytes} bytes become fewer`);
    t.ok(compressed !== null && gunzipSync(compressed).equals(body), 'and nothing is lost');
  }
});

t.test('an answer does not wait for others that are being compressed', async (t) => {
  const body = answer(1024 * 1024);
  const running = Array.from({ length: COMPRESSIONS_AT_ONCE }, () => compress(body));
  t.equal(compress(body), null, 'one more goes out as it is');
  t.ok(Buffer.isBuffer(compress(answer(2048))), 'a short one takes no thread');
  for (const each of await Promise.all(running)) t.ok(Buffer.isBuffer(each));
  t.ok(Buffer.isBuffer(await compress(body)), 'the permits came back');
});

t.test('the coding is taken where the client names it and does not forbid it', async (t) => {
  for (const accepted of ['gzip', 'br, GZIP', 'deflate, gzip;q=0.5, *;q=0'])
    t.equal(takesGzip(accepted), true, accepted);
  for (const accepted of [undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.000', 'xgzip', '*']) {
    t.equal(takesGzip(accepted), false, String(accepted));
  }
});

t.test(
  'credentials that a browser sends by itself are cookies and every scheme but Bearer',
  async (t) => {
    t.equal(hasAmbientCredentials({}), false);
    t.equal(hasAmbientCredentials({ authorization: 'Bearer abc' }), false);
    for (const fields of [
      { cookie: 'a=b' },
      { cookie: '' },
      ...['Basic YTpi', 'Digest x', 'Negotiate x', 'bearerx', ''].map((authorization) => ({
        authorization,
      })),
    ]) {
      t.equal(hasAmbientCredentials(fields), true, JSON.stringify(fields));
    }
  },
);
