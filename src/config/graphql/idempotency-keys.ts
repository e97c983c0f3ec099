import { HEADER_NAME } from '../keys/formats.js';
import { closed, millis, optional, text } from '../keys/key-types.js';

/** Keys of operations that write: what makes a repeated request the same. */
export const IDEMPOTENCY_KEYS = {
  idempotency: optional(
    closed(
      {
        header: text(
          'The header field of the request with its key, which is optional. ' +
            'Fields of one request, and requests of a batch, are calls of their own under it. ' +
            'The field of a WebSocket handshake is no key.',
          { default: 'idempotency-key', ...HEADER_NAME },
        ),
        keepMillis: millis(
          'How long the answer to a key is kept.',
          [1_000, 604_800_000],
          86_400_000,
        ),
      },
      'Requests of one client under one key are one call: the same request gets the answer ' +
        'that is kept, another one is refused. Needs `redis` where there are several workers.',
    ),
  ),
};
