import { flag, section } from '../keys/key-types.js';

/** How much callers learn of a refusal. */
export const FAULT_KEYS = section('What callers are told of refused requests.', {
  explain: flag(
    "Whether a Fault says what was wrong with the caller's own message: " +
      'names of its elements, namespaces and actions, line and byte, limits; never values. ' +
      'Refusals of HTTP have a sentence. `false` leaves the code, its text and the id.',
    true,
  ),
});
