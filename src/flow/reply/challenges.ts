import type { SoapService } from '../../compile/soap/service.js';
import { Refusal } from '../../core/index.js';
import { authenticatesConnection, type ReplyHead } from '../../upstream/index.js';
import { isPrintable } from './reply-head.js';

/** Characters from which on a fixed value of a header field may be a secret. */
const SECRET_CHARS_MIN = 4;

/**
 * The challenges of a 401 that a caller can answer without a connection of its own to the backend:
 * none where the backend sends none. Null where the backend has no other than for connections. A
 * challenge that repeats a value of the gateway's own fields is left out.
 */
export function challengesOf(head: ReplyHead, { reach }: SoapService): readonly string[] | null {
  const sent = head.headers('www-authenticate');
  const repeatsOwn = (value: string): boolean =>
    reach.fields.some(
      (own, at) => at % 2 === 1 && own.length >= SECRET_CHARS_MIN && value.includes(own),
    );
  const usable = sent.filter(
    (value) => isPrintable(value) && !authenticatesConnection(value) && !repeatsOwn(value),
  );
  return usable.length === 0 && sent.length > 0 ? null : usable;
}

const NONE_SENT = {
  detail: 'status 401 to a call without credentials: `forwardHeaders: [authorization]` sends them',
  text: 'The service wants credentials, and the request went to it without any.',
};

const OF_CONNECTIONS = {
  detail: 'status 401 with challenges of NTLM or Negotiate, which only SOAP callers can answer',
  text: 'The service accepts credentials only that belong to a connection of the caller.',
};

/**
 * The refusal of a 401 whose content is no Fault; null where no Fault is looked for. `challenge`:
 * to the caller, null for none. Where the gateway has sent no credentials of its own a Fault says
 * more than the status. `hasSent`: the call had credentials of the caller.
 */
export function refusalUnlessFault(
  { status }: ReplyHead,
  challenge: string | null,
  { passesCredentials }: SoapService,
  hasSent: boolean,
): Refusal | null {
  if (challenge !== null) {
    return new Refusal('UPSTREAM_UNAUTHENTICATED', 'status 401', { challenge });
  }
  if (status !== UNAUTHORIZED || !passesCredentials) return null;
  const { detail, text } = hasSent ? OF_CONNECTIONS : NONE_SENT;
  return new Refusal('UPSTREAM_AUTH', detail, { text });
}

const UNAUTHORIZED = 401;
