import { Buffer } from 'node:buffer';
import { Cancellation, KIB, type observing, Refusal } from '../../core/index.js';
import { type authentication, postWhole, type Upstream } from '../../upstream/index.js';

/** Bytes of the answer of an authorization server. */
const ANSWER_BYTES_MAX = 64 * KIB;

const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';

/** Names and values in turn: oauth4webapi sets the media type as well. */
const withoutType = (headers: readonly string[]): readonly string[] =>
  headers.filter((_, at) => headers[at - (at % 2)]?.toLowerCase() !== 'content-type');

/** Posts a form to an authorization server. Rejects with a `Refusal`. */
export async function postForm(
  endpoint: Upstream,
  headers: readonly string[],
  form: string,
  observer: observing.CallObserver | null,
): Promise<authentication.OAuthAnswer> {
  let status = 0;
  let dpopNonce: string | null = null;
  const content = await postWhole(endpoint, {
    headers: [...withoutType(headers), 'content-type', FORM],
    body: Buffer.from(form),
    isIdempotent: true,
    observer,
    maxBytes: ANSWER_BYTES_MAX,
    maxBytesKey: 'the answer of an authorization server',
    signal: new Cancellation(),
    aborted: () => new Refusal('UPSTREAM_TIMEOUT'),
    checkHead: (head) => {
      status = head.status;
      dpopNonce = head.header('dpop-nonce');
    },
  });
  return { status, text: content.toString('utf8'), dpopNonce };
}
