/** Parts of names, of any length around them. */
const PARTS =
  /authorization|cookie|key|token|secret|passw|credential|session|bearer|jwt|dpop|saml|assertion/i;
/** Words of names, which are parts of others too: of author, spinner. */
const WORDS = /(?:^|[^a-z0-9])(?:auth|pwd|pin|otp)(?:$|[^a-z0-9])/i;

/** Whether a header field of this name may hold credentials. */
export const mayHoldCredentials = (name: string): boolean => PARTS.test(name) || WORDS.test(name);
