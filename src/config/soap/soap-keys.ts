// biome-ignore-all format: a table of keys
import { URI } from '../keys/formats.js';
import { closed, flag, list, oneOf, optional, section, string, text, whole, wordOr } from '../keys/key-types.js';

/** Keys of a service about what its messages carry in their Header: the part of the table of keys for it. */

export const ADDRESSED_CALLS = ['auto', 'send', 'never'] as const;

const ADDRESSING = section('WS-Addressing headers of messages; a word alone is that of `calls`.', {
  calls: oneOf(ADDRESSED_CALLS,
    'Whether calls of GraphQL fields carry Action, To, MessageID and ReplyTo: `auto` where the WSDL requires them, `send` always, `never`.', 'auto'),
  version: optional(oneOf(['2005/08', '2004/08'],
    'The WS-Addressing of those calls: that of the WSDL unless given, else 2005/08, which is version 1.0.')),
  check: flag('Refuse answers to elsewhere, other destinations, actions of another operation and blocks that come twice.',
    true),
  rewriteTo: flag('Replace a `To` that names the gateway by the address of the backend (the first of several); never in a signed message.',
    true),
  destinations: list(string(URI),
    'Addresses that `To` may name besides the gateway and the backend.', { maxItems: 256, uniqueItems: true, default: [] }),
});

/** `send` means `{ calls: send }`. */
export const ADDRESSING_KEYS = wordOr(ADDRESSED_CALLS, ADDRESSING);

const MAKE_KEYS = closed(
  {
    timestamp: flag('Write a Timestamp.', false),
    expiresMillis: whole('How long a message is valid by its Timestamp.', [1_000, 86_400_000], 300_000),
    usernameToken: optional(
      closed(
        {
          username: text('The user.', { minLength: 1, maxLength: 512 }),
          password: text('The password; from the environment or a file, which may rotate.', { maxLength: 4096 }),
          type: oneOf(['text', 'digest'], '`text` sends the password, `digest` its SHA-1 with nonce and time.', 'text'),
        },
        'Write a UsernameToken (UsernameToken Profile 1.1) with a fresh nonce.',
      ),
    ),
    mustUnderstand: flag('Whether the backend must understand the block.', true),
    actor: optional(text('The actor or role that the block is for.', URI)),
    replace: flag('Write the block into SOAP calls as well, and remove that of the caller for the backend. Else SOAP calls keep theirs.',
      false),
  },
  'A Security block that the gateway writes into the calls that it makes.',
);

export const SECURITY_KEYS = section(
  'WS-Security headers of requests, besides their structure. Signatures and passwords are for the backend.',
  {
    timestamps: flag('Refuse messages whose Created is too far from now, or whose Expires has passed.', false),
    nonces: flag('Refuse a nonce of a UsernameToken that came before, however its base64 is written, or without Created. With `redis` all processes know them, else each its own.',
      false),
    noncesWithoutRedis: flag('While Redis is away, take nonces that are new to this process. Else their messages are refused: they may be replays.',
      false),
    make: optional(MAKE_KEYS),
  },
);
