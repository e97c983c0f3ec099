import type { RefusalCode, refusals } from '../../core/index.js';

/**
 * The classes of violations, by which metrics count them. `unvalidated`: content that cannot be
 * validated, because its schema is not known.
 */
type ValidityRule =
  | 'element'
  | 'missing'
  | 'text'
  | 'attribute'
  | 'value'
  | 'nil'
  | 'type'
  | 'identity'
  | 'limit'
  | 'unvalidated';

/** A broken rule of one element, without the path to it. */
export interface BrokenRule {
  readonly rule: ValidityRule;
  /** The rule in words. */
  readonly what: string;
  /** The end of the path, behind the element: '' for itself. */
  readonly below: string;
  /** The limit that was exceeded, for rule `limit`; null for one without a key. */
  readonly limit?: refusals.ExceededLimit | null;
}

/**
 * A broken rule and its path in the message. Holds nothing of the message: all names are those of
 * the schema.
 */
export interface Violation extends Omit<BrokenRule, 'below'> {
  /** `SCHEMA_INVALID`, or that of the limit beyond which it was not validated. */
  readonly code: Extract<RefusalCode, 'SCHEMA_INVALID' | 'XML_TEXT_LIMIT' | 'XML_IDENTITY_LIMIT'>;
  /**
   * From the child of Body on, like an XPath: `/GetOrder/line[3]/@no`. The number counts elements
   * of that name; an undeclared one is `*`, whose number counts all children.
   */
  readonly path: string;
}

/** Takes the first violation of a message. May throw: then the message is refused. */
export type ViolationSink = (violation: Violation) => void;

export const FINDINGS = {
  abstract: { rule: 'element', what: 'is abstract', below: '' },
  abstractType: {
    rule: 'type',
    what: 'is of an abstract type: xsi:type must name another',
    below: '',
  },
  tooLong: { rule: 'limit', what: 'is longer than what is validated', below: '' },
  unvalidated: {
    rule: 'unvalidated',
    what: 'cannot be validated: its content model is not known, or too large',
    below: '',
  },
} as const satisfies Readonly<Record<string, BrokenRule>>;

const PATH_CHARS = 1000;

/** Cuts a path of more than 1000 characters in the middle. */
export const shortenPath = (path: string): string =>
  path.length <= PATH_CHARS
    ? path
    : `${path.slice(0, PATH_CHARS / 2)}...${path.slice(-PATH_CHARS / 2)}`;
