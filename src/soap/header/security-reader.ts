import { Refusal } from '../../core/index.js';
import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  type QName,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';

const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
/** The drafts before the standard: old stacks still write them. */
const NAMESPACES: ReadonlySet<string> = new Set([
  WSSE,
  'http://schemas.xmlsoap.org/ws/2002/07/secext',
  'http://schemas.xmlsoap.org/ws/2002/12/secext',
  'http://schemas.xmlsoap.org/ws/2003/06/secext',
]);

/** The names `{uri}Security` of the blocks, of the standard and the drafts. */
export const SECURITY_NAMES: readonly string[] = [...NAMESPACES].map((uri) => `{${uri}}Security`);

/** Whether this is the name of a Security header block. */
export const isSecurity = ({ uri, local }: QName): boolean =>
  local === 'Security' && NAMESPACES.has(uri);

/** Times and nonce of a Timestamp or a UsernameToken in a Security block. Texts are as written. */
export interface FreshnessClaim {
  readonly kind: 'Timestamp' | 'UsernameToken';
  readonly created: string | null;
  readonly expires: string | null;
  readonly nonce: string | null;
}

type Draft = { -readonly [Key in keyof FreshnessClaim]: FreshnessClaim[Key] };

/** Timestamps and tokens of one message, and UTF-16 units of one of their texts. */
const CLAIMS_MAX = 16;
const TEXT_UNITS_MAX = 1024;

/**
 * Reads times and nonces of the Security blocks of one Header (WS-Security 1.1 section 10,
 * UsernameToken profile section 3.1). Throws `WSSE_STRUCTURE` for an element that comes twice or
 * too often.
 */
export class SecurityReader implements XmlHandler {
  readonly claims: FreshnessClaim[] = [];
  /** Elements open; the block itself is 1. */
  #depth = 0;
  #hasTimestamp = false;
  #claim: Draft | null = null;
  #part: 'created' | 'expires' | 'nonce' | null = null;

  begin(): Interest {
    this.#depth = 1;
    this.#hasTimestamp = false;
    return ELEMENTS_ONLY;
  }

  open(tag: StartTag): Interest {
    if (this.#part !== null) throw broken('an element in a text');
    this.#depth++;
    if (this.#depth === 2 && (tag.local === 'Timestamp' || tag.local === 'UsernameToken')) {
      this.#beginClaim(tag.local);
    }
    if (this.#depth !== 3 || this.#claim === null) return ELEMENTS_ONLY;
    const part = PARTS.get(tag.local) ?? null;
    if (part === null) return ELEMENTS_ONLY;
    if (this.#claim[part] !== null) throw broken('a part that comes twice');
    this.#claim[part] = '';
    this.#part = part;
    return ALL;
  }

  close(): void {
    this.#part = null;
    this.#depth--;
    if (this.#depth === 1) {
      this.#claim = null;
    }
  }

  text(piece: string): void {
    if (this.#claim === null || this.#part === null) return;
    const text = (this.#claim[this.#part] ?? '') + piece;
    if (text.length > TEXT_UNITS_MAX) throw broken('a text is too long');
    this.#claim[this.#part] = text;
  }

  #beginClaim(kind: FreshnessClaim['kind']): void {
    if (kind === 'Timestamp') {
      if (this.#hasTimestamp) throw broken('two Timestamps');
      this.#hasTimestamp = true;
    }
    if (this.claims.length === CLAIMS_MAX) throw broken('too many tokens');
    this.#claim = { kind, created: null, expires: null, nonce: null };
    this.claims.push(this.#claim);
  }
}

const PARTS: ReadonlyMap<string, 'created' | 'expires' | 'nonce'> = new Map([
  ['Created', 'created'],
  ['Expires', 'expires'],
  ['Nonce', 'nonce'],
]);

const broken = (rule: string): Refusal => new Refusal('WSSE_STRUCTURE', rule);
