import { URI } from '../keys/formats.js';
import { flag, list, oneOf, optional, section, string, wordOr } from '../keys/key-types.js';

/**
 * Keys of a service about what its messages carry in their Header: the part of the table of keys
 * for it.
 */

export const ADDRESSED_CALLS = ['auto', 'send', 'never'] as const;

const ADDRESSING = section('WS-Addressing headers of messages; a word alone is that of `calls`.', {
  calls: oneOf(
    ADDRESSED_CALLS,
    'Whether calls of GraphQL fields carry Action, To, MessageID and ReplyTo: ' +
      '`auto` where the WSDL requires them, or where their action alone tells two operations ' +
      'apart; `send` always, `never`.',
    'auto',
  ),
  version: optional(
    oneOf(
      ['2005/08', '2004/08'],
      'The WS-Addressing of those calls: that of the WSDL unless given, ' +
        'else 2005/08, which is version 1.0.',
    ),
  ),
  check: flag(
    'Refuse answers to elsewhere, other destinations, actions of another operation and ' +
      'blocks that come twice.',
    true,
  ),
  rewriteTo: flag(
    'Replace a `To` that names the gateway by the address of the backend (the first of ' +
      'several); never in a signed message.',
    true,
  ),
  destinations: list(
    string(URI),
    'Addresses that `To` may name besides the gateway and the backend.',
    { maxItems: 256, uniqueItems: true, default: [] },
  ),
});

/** `send` means `{ calls: send }`. */
export const ADDRESSING_KEYS = wordOr(ADDRESSED_CALLS, ADDRESSING);
