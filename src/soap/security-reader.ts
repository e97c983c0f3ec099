import { Refusal } from '../base/refusal.js';
import { ALL, ELEMENTS, type Interest, type QName, type StartTag, type XmlHandler } from '../xml/events.js';

const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
/** The drafts before the standard: old stacks still write them. */
const NAMESPACES: ReadonlySet<string> = new Set([
  WSSE,
  'http://schemas.xmlsoap.org/ws/2002/07/secext',
  'http://schemas.xmlsoap.org/ws/2002/12/secext',
  'http://schemas.xmlsoap.org/ws/2003/06/secext',
]);

/** Whether this is the name of a Security header block. */
export const isSecurity = ({ uri, local }: QName): boolean => local === 'Security' && NAMESPACES.has(uri);

/** A Timestamp or a UsernameToken of a Security header, as far as it says when it was made. Texts are as written. */
export interface Stamp {
  readonly kind: 'Timestamp' | 'UsernameToken';
  readonly created: string | null;
  readonly expires: string | null;
  readonly nonce: string | null;
}

type Draft = { -readonly [Key in keyof Stamp]: Stamp[Key] };

/** Timestamps and tokens of one message, and UTF-16 units of one of their texts: more is no message of a caller. */
const STAMPS_MAX = 16;
const TEXT_UNITS_MAX = 1024;

/**
 * Reads what the Security blocks of one Header say of time (WS-Security 1.1 section 10, UsernameToken profile section
 * 3.1). Throws `WSSE_STRUCTURE` for what is said twice or too often.
 */
export class SecurityReader implements XmlHandler {
  readonly stamps: Stamp[] = [];
  /** Elements open; the block itself is 1. */
  #depth = 0;
  #hasTimestamp = false;
  #stamp: Draft | null = null;
  #part: 'created' | 'expires' | 'nonce' | null = null;

  begin(): Interest {
    this.#depth = 1;
    this.#hasTimestamp = false;
    return ELEMENTS;
  }

  open(tag: StartTag): Interest {
    if (this.#part !== null) throw broken('element in a text');
    this.#depth++;
    if (this.#depth === 2 && (tag.local === 'Timestamp' || tag.local === 'UsernameToken')) this.#beginStamp(tag.local);
    if (this.#depth !== 3 || this.#stamp === null) return ELEMENTS;
    const part = PARTS.get(tag.local) ?? null;
    if (part === null) return ELEMENTS;
    if (this.#stamp[part] !== null) throw broken('said twice');
    this.#stamp[part] = '';
    this.#part = part;
    return ALL;
  }

  close(): void {
    this.#part = null;
    this.#depth--;
    if (this.#depth === 1) this.#stamp = null;
  }

  text(piece: string): void {
    if (this.#stamp === null || this.#part === null) return;
    const text = (this.#stamp[this.#part] ?? '') + piece;
    if (text.length > TEXT_UNITS_MAX) throw broken('text');
    this.#stamp[this.#part] = text;
  }

  #beginStamp(kind: Stamp['kind']): void {
    if (kind === 'Timestamp') {
      if (this.#hasTimestamp) throw broken('two Timestamps');
      this.#hasTimestamp = true;
    }
    if (this.stamps.length === STAMPS_MAX) throw broken('number of tokens');
    this.#stamp = { kind, created: null, expires: null, nonce: null };
    this.stamps.push(this.#stamp);
  }
}

const PARTS: ReadonlyMap<string, 'created' | 'expires' | 'nonce'> = new Map([
  ['Created', 'created'],
  ['Expires', 'expires'],
  ['Nonce', 'nonce'],
]);

const broken = (rule: string): Refusal => new Refusal('WSSE_STRUCTURE', rule);
