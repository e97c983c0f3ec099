import type { QName } from '../xml/events.js';

/**
 * Plans: what to read from a reply and what to write into a request, made at start-up (or once per document) from the
 * model and the GraphQL schema. The decoder and the encoder know nothing else: neither WSDL nor GraphQL.
 */

/** How one simple value looks on both sides. */
export interface Scalar {
  /** Name of the GraphQL type: `Int`, `String`, `Long`, `Decimal`, an enum's name, ... */
  readonly name: string;
  /** The value of a lexical form, white space treated as the type says. Throws `LexicalError`. */
  decode(lexical: string): ScalarValue;
  /** The lexical form of a caller's value. Throws `LexicalError`; the message never holds the value. */
  encode(value: unknown): string;
}

export type ScalarValue = string | number | boolean;

/** A value that is outside the lexical or value space of its type. The message names the rule, never the value. */
export class LexicalError extends Error {
  constructor(rule: string) {
    super(rule);
    this.name = 'LexicalError';
  }
}

// ---------------------------------------------------------------------------------------------- reading a reply

export type ValuePlan = { readonly kind: 'scalar'; readonly scalar: Scalar } | ObjectPlan | OpaquePlan;

/** Content that is not modelled, as XML text (a `XML` scalar). */
export interface OpaquePlan {
  readonly kind: 'opaque';
}

/** An element with structure. Its plan depends on its type at run time. */
export interface ObjectPlan {
  readonly kind: 'object';
  /** By `typeKey` of xsi:type. An element without xsi:type takes `declared`; an unknown type takes it as well. */
  readonly variants: ReadonlyMap<string, ObjectVariant>;
  /** Null when the declared type is abstract: then an element without a known xsi:type is invalid. */
  readonly declared: ObjectVariant | null;
}

export interface ObjectVariant {
  /** In the order of the response. */
  readonly slots: readonly Slot[];
}

/** One response key, filled from one place of the element. Two aliases of one field are two slots. */
export interface Slot {
  /** The response key. */
  readonly key: string;
  readonly source: SlotSource;
  readonly list: boolean;
  /** The key may not be null: a missing value makes the object null (GraphQL section 6.4.4). */
  readonly nonNull: boolean;
  /** For lists: an item may not be null. */
  readonly itemNonNull: boolean;
  readonly value: ValuePlan;
}

export type SlotSource =
  /**
   * Child elements of this name. For lists: every one is an item, none is []. `default` is the value of an element that
   * is present and empty (XSD 1.0 part 1, section 3.3.1); an absent element is null.
   */
  | { readonly from: 'child'; readonly name: QName; readonly default: string | null }
  /**
   * A child element whose children `item` are the items; absent or nil is null, present and empty is []. Where `item`
   * is null, children of any name are (arrays of the SOAP encoding, SOAP 1.1 section 5.4.2).
   */
  | { readonly from: 'wrapped list'; readonly name: QName; readonly item: QName | null }
  /** The child elements of this element, whatever their names: an array that is not unwrapped. Always a list. */
  | { readonly from: 'items' }
  | { readonly from: 'attribute'; readonly name: QName; readonly default: string | null }
  /** The text of this element (simple content). */
  | { readonly from: 'text' }
  /** A constant: `__typename`. */
  | { readonly from: 'constant'; readonly value: string }
  /**
   * The element itself read as another object: for groups that exist in GraphQL only. Not on the wire.
   */
  | { readonly from: 'self' };

/** The reply of one operation. */
export interface ReplyPlan {
  /** The child of Body that answers this operation. Its local name alone decides where `uri` is null. */
  readonly element: { readonly uri: string | null; readonly local: string };
  /** `unwrap`: the one slot's value is the answer. `whole`: the object is. `done`: `true` as soon as it answered. */
  readonly shape: 'unwrap' | 'whole' | 'done';
  readonly value: ObjectPlan;
  /** Whether a null answer is null (false) or must propagate to the parent (true). */
  readonly nonNull: boolean;
}

/** What came of a reply. `path` begins below the field's own response key. */
export interface Decoded {
  readonly value: unknown;
  /** The first few, in document order. */
  readonly errors: readonly DecodeError[];
  /** How many more there were. */
  readonly furtherErrors: number;
}

export interface DecodeError {
  readonly code: 'UPSTREAM_SCHEMA_INVALID' | 'UPSTREAM_RESPONSE_LIMIT';
  readonly path: readonly (string | number)[];
  /** Names the rule, never the value. */
  readonly rule: string;
}

// --------------------------------------------------------------------------------------------- writing a request

/** An element to be written from the member `key` of the caller's object. */
export interface EncodeElement {
  /** The member's name: an argument or an input field. */
  readonly key: string;
  readonly name: QName;
  /**
   * `many`: an array, one element an item. `wrapped`: an array inside `name`, each item an element of that name; a null
   * item is refused unless `itemNillable`.
   */
  readonly occurs: 'one' | 'many' | { readonly wrapped: QName; readonly itemNillable?: boolean };
  /** At least one must be written. */
  readonly required: boolean;
  readonly nillable: boolean;
  /** Written whatever the caller says. */
  readonly fixed: string | null;
  /** Set by `linked` types late: input types may be recursive. */
  readonly value: EncodeValue;
}

export type EncodeValue = { readonly kind: 'scalar'; readonly scalar: Scalar } | EncodeObject;

export interface EncodeObject {
  readonly kind: 'object';
  readonly attributes: readonly EncodeAttribute[];
  /** Member that holds the text of simple content, or null. */
  readonly text: { readonly key: string; readonly scalar: Scalar } | null;
  /** In schema order, inherited ones first. */
  readonly children: readonly EncodeElement[];
  /** Members of which exactly one must be given, for a required choice; [] where there is none. */
  readonly choices: readonly (readonly string[])[];
}

export interface EncodeAttribute {
  readonly key: string;
  readonly name: QName;
  readonly required: boolean;
  readonly fixed: string | null;
  readonly scalar: Scalar;
}

/** The request of one operation. */
export interface RequestPlan {
  /** The child of Body, or null for an empty Body. */
  readonly body: { readonly name: QName; readonly value: EncodeObject } | null;
  /** Header blocks, each an argument inside `headers`. */
  readonly headers: readonly EncodeElement[];
}
