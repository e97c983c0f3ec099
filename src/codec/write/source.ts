import { Buffer } from 'node:buffer';
import { Refusal } from '../../core/index.js';
import type { EncodeSource } from '../plan/request/encode-plan.js';
import { LexicalError, type Scalar } from '../plan/scalar.js';
import { type InputPath, refuseInput } from './input-error.js';

/** Header fields and token claims of the client's HTTP request. */
export interface RequestContext {
  /** Header fields of the request by name in lower case, as node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Claims of the client's token; null without a token. */
  readonly claims: Readonly<Record<string, unknown>> | null;
  /**
   * The page that the call asks for, in its lexical form; null or absent: the first, without a
   * name.
   */
  readonly page?: string | null;
}

export const NO_CONTEXT: RequestContext = { headers: {}, claims: null };

/** Characters of a header field or a claim that becomes a value. */
const SOURCE_CHARS = 8192;

/**
 * The lexical form of a value that is not an argument; null where the header field or the claim is
 * not there. Throws `InputError` for one that is no value of the type.
 */
export function resolveSource(
  source: EncodeSource,
  scalar: Scalar,
  context: RequestContext,
  path: InputPath,
): string | null {
  if (source.from === 'constant') return source.lexical;
  const found = foundIn(source, context);
  if (found === undefined) return null;
  if (found === null) {
    refuseInput(path, `${printSource(source)} holds what cannot be a value`);
  }
  try {
    return scalar.encode(scalar.decode(found));
  } catch (caught) {
    if (caught instanceof LexicalError) {
      refuseInput(path, `${printSource(source)} ${caught.message}`);
    }
    throw caught;
  }
}

type Found = Exclude<EncodeSource, { readonly from: 'constant' }>;

/** Not there: undefined. No text: null. */
function foundIn(source: Found, context: RequestContext): string | null | undefined {
  if (source.from === 'page') return context.page ?? undefined;
  return source.from === 'header'
    ? fieldOf(source.header, context)
    : claimText(source.claim, context);
}

/**
 * Throws for a value that must be there and is not: `FORBIDDEN` where only another token would have
 * it.
 */
export function refuseMissing(source: EncodeSource, path: InputPath): never {
  if (source.from === 'claim') {
    throw new Refusal('FORBIDDEN', 'a claim that the operation requires is missing');
  }
  refuseInput(path, `${printSource(source)} is required`);
}

const printSource = (source: EncodeSource): string => {
  if (source.from === 'constant') return 'the value';
  if (source.from === 'page') return 'the page';
  return source.from === 'header'
    ? `the request header ${source.header}`
    : `the claim ${source.claim}`;
};

function fieldOf(name: string, { headers }: RequestContext): string | null | undefined {
  const field = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return field === undefined
    ? undefined
    : textOfField(typeof field === 'string' ? field : field.join(', '));
}

/**
 * As JSON has it: texts, numbers that are exact, true and false. Not there: undefined. No text:
 * null.
 */
export function claimText(
  name: string,
  { claims }: Pick<RequestContext, 'claims'>,
): string | null | undefined {
  const claim =
    claims !== null && Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined;
  if (claim === undefined) return undefined;
  if (typeof claim === 'boolean') return String(claim);
  if (typeof claim === 'number') {
    return Number.isInteger(claim) && !Number.isSafeInteger(claim) ? null : String(claim);
  }
  return typeof claim !== 'string' || claim.length > SOURCE_CHARS || CONTROL.test(claim)
    ? null
    : claim;
}

/**
 * Decodes a header field as UTF-8, which node reads byte by byte. Null for control characters,
 * bytes of no text, and excess.
 */
function textOfField(field: string): string | null {
  if (field.length > SOURCE_CHARS || CONTROL.test(field)) return null;
  if (!BEYOND_ASCII.test(field)) return field;
  try {
    return UTF_8.decode(Buffer.from(field, 'latin1'));
  } catch {
    return null;
  }
}

const CONTROL = /[\0-\x1f\x7f]/;
const BEYOND_ASCII = /[\x80-\uffff]/;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });
