import type { SimpleType } from '../../wsdl/index.js';
import type { Conversion } from './conversion.js';

/** Converts simple values between XML and GraphQL. */
export interface Scalar {
  /** Name of the GraphQL type: `Int`, `String`, `Long`, `Decimal`, an enum's name, ... */
  readonly name: string;
  /** True if values name attachments, by `cid:` URLs (`swaRef`). */
  readonly isReference?: boolean;
  /**
   * Set for binary content, in base64: as text, or as a part of a package that an Include names.
   * `included`: its schema declares the Include, so that text would not be valid.
   */
  readonly binary?: 'base64' | 'included';
  /** The scalar of the items of a list type. */
  readonly item?: Scalar;
  /** The simple type whose rules written values keep; absent: those of a built-in type alone. */
  readonly type?: SimpleType;
  /** The text that is written for null, where texts stand for it; absent: none does. */
  readonly nullText?: string;
  /** How it converts texts; absent: it does not. */
  readonly converts?: Conversion;
  /**
   * The scalar of the texts as they are on the wire, of one that converts or names them; absent:
   * itself.
   */
  readonly wire?: Scalar;
  /** A value for examples, where the type does not have one; absent: one of the type. */
  readonly example?: ScalarItem | undefined;
  /** Masks a decoded value; absent: it does not. */
  mask?(value: unknown): unknown;
  /**
   * The value of a lexical form, its white space treated by the facet of the type; null for a text
   * that stands for it. Throws `LexicalError`.
   */
  decode(lexical: string): ScalarValue | null;
  /**
   * The lexical form of a client's value. Throws `LexicalError`; the message never holds the value.
   */
  encode(value: unknown): string;
}

/** The value that a scalar decodes to; a list type has several items. */
export type ScalarValue = ScalarItem | readonly (ScalarItem | null)[];

export type ScalarItem = string | number | boolean;

/**
 * A value that is outside the lexical or value space of its type. The message names the rule, never
 * the value.
 */
export class LexicalError extends Error {
  /** Valid by its XSD type, but not representable in GraphQL. */
  readonly isValid: boolean;

  constructor(rule: string, isValid = false) {
    super(rule);
    this.name = 'LexicalError';
    this.isValid = isValid;
  }
}

/** The value of a lexical form; null where it is none. */
export function decodedScalar(scalar: Scalar, lexical: string): ScalarValue | null {
  try {
    return scalar.decode(lexical);
  } catch (caught) {
    if (caught instanceof LexicalError) return null;
    throw caught;
  }
}
