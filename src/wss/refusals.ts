import type { refusals } from '../core/index.js';

/** Refusals of WS-Security, by the names that it has for them. */
export const WSS_REFUSALS = {
  // WS-Security 1.1, section 12.
  'wsse:InvalidSecurity': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The Security header is missing, incomplete, or breaks the rules of WS-Security.',
  },
  'wsse:InvalidSecurityToken': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A security token of the message is broken.',
  },
  'wsse:FailedCheck': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A signature or a digest of the message does not match.',
  },
  'wsse:UnsupportedAlgorithm': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The message is signed by an algorithm that is not accepted.',
  },
  'wsse:UnsupportedSecurityToken': {
    blame: 'client',
    isSecurityFault: true,
    text: 'The message has a security token of a kind that is not accepted.',
  },
  'wsse:SecurityTokenUnavailable': {
    blame: 'client',
    isSecurityFault: true,
    text: 'A security token that the message refers to could not be found.',
  },
} as const satisfies Record<string, refusals.RefusalKind>;

type WssRefusals = typeof WSS_REFUSALS;

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends WssRefusals {}
}
