import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';

import type { canonical } from '../xml/index.js';
import {
  failedAuthentication,
  invalidSecurity,
  messageExpired,
  unsupportedToken,
} from './security-refusals.js';
import { base64Of, elementParts, elementText, isNamed, typedAttribute } from './strict-elements.js';
import { instantOf } from './timestamp.js';
import { BASE64_BINARY, PASSWORD_DIGEST, PASSWORD_TEXT, WSSE, WSU } from './wsse-names.js';

type PasswordType = 'digest' | 'text';

export interface UsernameTokenRules {
  readonly types: ReadonlySet<PasswordType>;
  /** Null: whatever its age, where it says one. */
  readonly maxAgeMillis: number | null;
  readonly toleranceMillis: number;
  /**
   * The password of a user by name, as it is now; null where it is known by a hash or to another
   * program alone.
   */
  passwordOf(user: string): string | null;
  /** Whether there are users whose password is verified later: then a text is handed on. */
  readonly verifiesLater: boolean;
}

/** A user whose password was right, or is still to be verified. */
export interface NamedUser {
  readonly name: string;
  /** The password to verify; null where it was right. */
  readonly password: string | null;
  /** The nonce, which may come once until a time; null without one. */
  readonly nonce: { readonly key: string; readonly untilMillis: number } | null;
}

/** How long a nonce is remembered where tokens are taken at any age. */
const NONCE_KEPT_MILLIS = 24 * 60 * 60_000;

interface TokenParts {
  readonly user: string;
  readonly type: PasswordType;
  readonly password: string;
  readonly nonce: Buffer | null;
  readonly created: string | null;
}

/**
 * Verifies a UsernameToken (UsernameToken Profile 1.1 section 3.1). Throws
 * `wsse:FailedAuthentication`, whether the user or the password is wrong, `wsse:MessageExpired`,
 * `wsse:InvalidSecurity`, `wsse:UnsupportedSecurityToken`.
 */
export function verifyUsernameToken(
  node: canonical.ElementNode,
  rules: UsernameTokenRules,
  nowMillis: number,
): NamedUser {
  const { user, type, password, nonce, created } = readParts(node);
  if (!rules.types.has(type)) throw unsupportedToken(`a password of the type ${type}`);
  const { maxAgeMillis, toleranceMillis } = rules;
  const createdMillis = created === null ? null : instantOf(created);
  if (createdMillis !== null) {
    if (createdMillis > nowMillis + toleranceMillis) {
      throw messageExpired('Created of UsernameToken is in the future', created);
    }
    if (maxAgeMillis !== null && createdMillis + maxAgeMillis + toleranceMillis <= nowMillis) {
      throw messageExpired('Created of UsernameToken is too long ago', created);
    }
  }
  // A token that says when it was made is good up to its age, and the nonce comes once until then.
  const startMillis = maxAgeMillis === null ? nowMillis : (createdMillis ?? nowMillis);
  const untilMillis = startMillis + (maxAgeMillis ?? NONCE_KEPT_MILLIS) + toleranceMillis;
  const once = nonce === null ? null : { key: nonce.toString('base64'), untilMillis };
  const known = rules.passwordOf(user);
  if (type === 'digest') {
    if (nonce === null || created === null) {
      throw invalidSecurity('a digest needs Nonce and Created');
    }
    const expected = createHash('sha1')
      .update(nonce)
      .update(created)
      .update(known ?? '')
      .digest();
    const given = Buffer.from(password, 'base64');
    const isRight = given.length === expected.length && timingSafeEqual(given, expected);
    if (!isRight || known === null) throw failedAuthentication('the user or the password', user);
    return { name: user, password: null, nonce: once };
  }
  if (known === null && rules.verifiesLater) return { name: user, password, nonce: once };
  const isRight = timingSafeEqual(sha256(password), sha256(known ?? ''));
  if (!isRight || known === null) throw failedAuthentication('the user or the password', user);
  return { name: user, password: null, nonce: once };
}

/** Digests have one length, whatever they are of. */
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const USER_CHARS_MAX = 512;
const PASSWORD_CHARS_MAX = 4096;

function readParts(node: canonical.ElementNode): TokenParts {
  const parts = new Map<string, canonical.ElementNode>();
  for (const part of elementParts(node)) {
    const isKnown = (part.uri === WSSE && KNOWN.has(part.local)) || isNamed(part, WSU, 'Created');
    // Among others, salt and iterations: a key is derived, and no password sent.
    if (!isKnown) throw unsupportedToken('a part of UsernameToken');
    if (parts.has(part.local)) throw invalidSecurity(`${part.local} twice`);
    parts.set(part.local, part);
  }
  const [name, password] = [parts.get('Username'), parts.get('Password')];
  if (name === undefined) throw invalidSecurity('UsernameToken without Username');
  const user = elementText(name);
  if (password === undefined) {
    throw failedAuthentication('UsernameToken without a password', user);
  }
  const text = elementText(password);
  if (user.length > USER_CHARS_MAX || text.length > PASSWORD_CHARS_MAX) {
    throw failedAuthentication('a user or password that is too long');
  }
  const [nonce, created] = [parts.get('Nonce'), parts.get('Created')];
  const encoding = typedAttribute(nonce, 'EncodingType') ?? BASE64_BINARY;
  if (encoding !== BASE64_BINARY) throw unsupportedToken('the encoding of Nonce');
  return {
    user,
    type: typeOf(password),
    password: text,
    nonce: nonce === undefined ? null : base64Of(nonce),
    created: created === undefined ? null : elementText(created),
  };
}

const KNOWN: ReadonlySet<string> = new Set(['Username', 'Password', 'Nonce']);

/** Without a type it is a text (section 3.1). */
function typeOf(password: canonical.ElementNode): PasswordType {
  const type = typedAttribute(password, 'Type') ?? PASSWORD_TEXT;
  if (type === PASSWORD_TEXT) return 'text';
  if (type === PASSWORD_DIGEST) return 'digest';
  throw unsupportedToken('the type of a password');
}
