import { type EncodeSource, LexicalError, type Scalar } from '../plan/plan.js';
import { type InputPath, refuse } from './input-error.js';

/** What the caller's HTTP request says beside its body. */
export interface RequestContext {
  /** Header fields of the request by name in lower case, as node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export const NO_CONTEXT: RequestContext = { headers: {} };

/** Characters of a header field that becomes a value. */
const HEADER_CHARS = 8192;

/**
 * The lexical form of a value that is not the caller's argument; null where the header field is not there. Throws
 * `InputError` for a field that is no value of the type.
 */
export function sourced(source: EncodeSource, scalar: Scalar, context: RequestContext, path: InputPath): string | null {
  if (source.from === 'constant') return source.lexical;
  const field = Object.hasOwn(context.headers, source.header) ? context.headers[source.header] : undefined;
  if (field === undefined) return null;
  const text = textOfField(typeof field === 'string' ? field : field.join(', '));
  if (text === null) refuse(path, `the request header ${source.header} holds what cannot be a value`);
  try {
    return scalar.encode(scalar.decode(text));
  } catch (caught) {
    if (caught instanceof LexicalError) refuse(path, `the request header ${source.header} ${caught.message}`);
    throw caught;
  }
}

/** Node reads header fields byte by byte: they mean UTF-8. Null for control characters, bytes of no text, and excess. */
function textOfField(field: string): string | null {
  if (field.length > HEADER_CHARS || CONTROL.test(field)) return null;
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
