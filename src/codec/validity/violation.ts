import type { RefusalCode } from '../../base/refusals.js';

/** The classes of what can be wrong with content: what metrics tell violations apart by. */
export const VALIDITY_RULES = [
  'element',
  'missing',
  'text',
  'attribute',
  'value',
  'nil',
  'type',
  'identity',
  'limit',
] as const;

export type ValidityRule = (typeof VALIDITY_RULES)[number];

/** What is wrong with an element, before its place is told. */
export interface Trouble {
  readonly rule: ValidityRule;
  /** The rule in words. */
  readonly what: string;
  /** What follows the element in the path: '' for itself. */
  readonly below: string;
}

/** What is wrong with a message, and where. Holds nothing of the message: all names are those of the schema. */
export interface Violation {
  /** `SCHEMA_INVALID`, or that of the limit beyond which it was not validated. */
  readonly code: Extract<RefusalCode, 'SCHEMA_INVALID' | 'XML_TEXT_LIMIT' | 'XML_IDENTITY_LIMIT'>;
  readonly rule: ValidityRule;
  /** The rule in words. */
  readonly what: string;
  /**
   * From the child of Body on, like an XPath: `/GetOrder/line[3]/@no`. The number counts elements of that name; what is
   * not declared is `*`, whose number counts all children.
   */
  readonly path: string;
}

/** Told of the first violation of a message. May throw: then the message is refused. */
export type ViolationSink = (violation: Violation) => void;
