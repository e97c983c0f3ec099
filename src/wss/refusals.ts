import type { refusals } from '../core/index.js';

/** Refusals of WS-Security, by the names that it has for them. */
export const WSS_REFUSALS = {
  // WS-Security 1.1, section 12.
  'wsse:InvalidSecurity': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The Security header is missing, incomplete, or breaks the rules of WS-Security.',
    shows: ['rule'],
    remedy: 'Send a Security header with what the service demands, signed as its description says.',
  },
  'wsse:InvalidSecurityToken': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A security token of the message is broken.',
    shows: ['rule'],
    remedy: 'Send an X.509 certificate, encoded as DER in base64.',
  },
  'wsse:FailedCheck': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A signature, a digest or the encryption of the message does not match.',
  },
  'wsse:UnsupportedAlgorithm': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The message is signed or encrypted by an algorithm that is not accepted.',
    shows: ['rule'],
    remedy:
      'Sign with RSA, RSA-PSS, ECDSA or Ed25519 with SHA-256, and by exclusive ' +
      'canonicalization; encrypt with AES-GCM, and RSA-OAEP or ECDH-ES.',
  },
  'wsse:UnsupportedSecurityToken': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The message has a security token of a kind that is not accepted.',
    shows: ['rule'],
    remedy: 'Send a token of a kind that the service takes.',
  },
  'wsse:SecurityTokenUnavailable': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A security token that the message refers to could not be found.',
    shows: ['rule'],
    remedy: 'Send the token with the message, and refer to its Id.',
  },
} as const satisfies Record<string, refusals.RefusalKind>;

type WssRefusals = typeof WSS_REFUSALS;

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends WssRefusals {}
}
