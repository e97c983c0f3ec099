import { createHash, randomBytes } from 'node:crypto';
import { escapeQuoted, referencesFor } from '../../xml/index.js';
import { dialectOfUri } from '../dialect.js';
import type { BlockWriter } from './header-place.js';

/** The WS-Security block that the gateway writes into its calls. */
export interface MadeSecurity {
  /** How long a message is valid; null for no Timestamp. */
  readonly timestampMillis: number | null;
  readonly usernameToken: MadeUsernameToken | null;
  /**
   * Makes the assertion about a subject, in ASCII; null for none. `subject` is null where it is
   * always the same.
   */
  readonly assertion: ((subject: string | null, nowMillis: number) => string) | null;
  readonly mustUnderstand: boolean;
  /** The actor or role of the block; null for the final receiver. */
  readonly target: string | null;
}

interface MadeUsernameToken {
  readonly username: string;
  /** The latest password. */
  readonly password: () => string;
  readonly type: 'text' | 'digest';
}

const OASIS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const WSSE = `${OASIS}-wssecurity-secext-1.0.xsd`;
const WSU = `${OASIS}-wssecurity-utility-1.0.xsd`;
const TOKEN_PROFILE = `${OASIS}-username-token-profile-1.0`;
const BASE64 = `${OASIS}-soap-message-security-1.0#Base64Binary`;
/** As many as the profile recommends (UsernameToken Profile 1.1 section 3.1). */
const NONCE_BYTES = 16;

/** Makes the writers of the block, for calls about a subject. */
export type SecurityWriter = (subject: string | null) => BlockWriter;

/**
 * Writes the block anew each time: the times, the nonce and the Ids of one message are of no other.
 */
export function securityWriter(made: MadeSecurity, now: () => number = Date.now): SecurityWriter {
  return (subject) => (envelopeUri) => {
    const nowMillis = now();
    const assertion = made.assertion?.(subject, nowMillis) ?? '';
    const parts = [timestamp(made, nowMillis), usernameToken(made, nowMillis), assertion].join('');
    return (
      `<wsse:Security xmlns:wsse="${WSSE}" ` +
      `xmlns:wsu="${WSU}"${blockAttributes(made, envelopeUri)}>${parts}</wsse:Security>`
    );
  };
}

function blockAttributes({ mustUnderstand, target }: MadeSecurity, envelopeUri: string): string {
  const attribute = dialectOfUri(envelopeUri)?.targetAttribute ?? 'actor';
  const attributes =
    `${mustUnderstand ? ' e:mustUnderstand="1"' : ''}` +
    `${target === null ? '' : ` e:${attribute}="${inAscii(target)}"`}`;
  return attributes === '' ? '' : ` xmlns:e="${envelopeUri}"${attributes}`;
}

/** WS-Security 1.1 section 10. */
function timestamp({ timestampMillis }: MadeSecurity, nowMillis: number): string {
  if (timestampMillis === null) return '';
  const times =
    `<wsu:Created>${instant(nowMillis)}</wsu:Created><wsu:Expires>` +
    `${instant(nowMillis + timestampMillis)}</wsu:Expires>`;
  return `<wsu:Timestamp wsu:Id="${newId('TS')}">${times}</wsu:Timestamp>`;
}

/** UsernameToken Profile 1.1 section 3.1. */
function usernameToken({ usernameToken: token }: MadeSecurity, nowMillis: number): string {
  if (token === null) return '';
  const nonce = randomBytes(NONCE_BYTES);
  const created = instant(nowMillis);
  const isDigest = token.type === 'digest';
  const password = isDigest
    ? passwordDigest(nonce, created, token.password())
    : inAscii(token.password());
  return [
    `<wsse:UsernameToken wsu:Id="${newId('UT')}">`,
    `<wsse:Username>${inAscii(token.username)}</wsse:Username>`,
    `<wsse:Password Type="${TOKEN_PROFILE}#${isDigest ? 'PasswordDigest' : 'PasswordText'}">` +
      `${password}</wsse:Password>`,
    `<wsse:Nonce EncodingType="${BASE64}">${nonce.toString('base64')}</wsse:Nonce>`,
    `<wsu:Created>${created}</wsu:Created></wsse:UsernameToken>`,
  ].join('');
}

/** Base64(SHA-1(nonce + created + password)): the octets of the nonce, the others in UTF-8. */
const passwordDigest = (nonce: Uint8Array, created: string, password: string): string =>
  createHash('sha1')
    .update(nonce)
    .update(created, 'utf8')
    .update(password, 'utf8')
    .digest('base64');

const instant = (millis: number): string => new Date(millis).toISOString();

/** A name that begins with a letter, as an Id must. */
const newId = (prefix: string): string => `${prefix}-${randomBytes(NONCE_BYTES).toString('hex')}`;

/** The text escaped, in ASCII: the encoding of the message may not have its other characters. */
export const inAscii = (text: string): string =>
  referencesFor(escapeQuoted(text)).replaceAll(WHITE, (white) => `&#${white.charCodeAt(0)};`);

/** White space that attributes would lose. */
const WHITE = /[\t\n\r]/g;
