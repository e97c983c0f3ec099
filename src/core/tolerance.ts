import type { RefusalCode } from './refusals/refusals.js';

/**
 * The closed table of deviations of replies that `tolerate` names: what passes. Without a name a
 * reply is held to its contract.
 */
export const DEVIATIONS = {
  wrapper:
    'the child of Body has another namespace than declared, or none; ' +
    'children in that namespace, or in none, count as declared',
  'wrapper-name': 'the child of Body has another local name than declared',
  'media-type': 'another media type than XML, or none; a package of parts under any but its own',
  'leading-space': 'white space before the XML declaration',
  'declared-encoding':
    'the XML declaration names an encoding that the bytes or the media type contradict',
  'trailing-bytes': 'white space and NUL behind the document element',
  'control-characters':
    'characters that XML does not have, by themselves or by reference: U+FFFD in their place',
  'undeclared-prefix': 'prefixes that nothing declares: the namespaces that they are known for',
  'unqualified-header': 'header blocks without a namespace',
  'empty-body': 'an empty Body where an element with required content is declared: null',
  missing: 'a required element is absent: null, without an error',
} as const;

export type Deviation = keyof typeof DEVIATIONS;

const isDeviation = (name: string): name is Deviation => Object.hasOwn(DEVIATIONS, name);

/** All names, in the order of the table. */
export const DEVIATION_NAMES: readonly Deviation[] = Object.keys(DEVIATIONS).filter(isDeviation);

/** The code of a reply that is refused for a deviation. */
export const DEVIATION_CODES: Readonly<Record<Deviation, RefusalCode>> = {
  wrapper: 'UPSTREAM_SCHEMA_INVALID',
  'wrapper-name': 'UPSTREAM_SCHEMA_INVALID',
  'media-type': 'UPSTREAM_INVALID_RESPONSE',
  'leading-space': 'UPSTREAM_INVALID_RESPONSE',
  'declared-encoding': 'UPSTREAM_INVALID_RESPONSE',
  'trailing-bytes': 'UPSTREAM_INVALID_RESPONSE',
  'control-characters': 'UPSTREAM_INVALID_RESPONSE',
  'undeclared-prefix': 'UPSTREAM_INVALID_RESPONSE',
  'unqualified-header': 'UPSTREAM_INVALID_RESPONSE',
  'empty-body': 'UPSTREAM_INVALID_RESPONSE',
  missing: 'UPSTREAM_SCHEMA_INVALID',
};

/** The names that are tolerated of the replies to an operation. */
export type Tolerance = ReadonlySet<Deviation>;

/** What is tolerated without `tolerate`. */
export const STRICT: Tolerance = new Set();

/** Deviations that are repaired in the bytes of a reply, before anything reads it. */
export const OF_BYTES: readonly Deviation[] = [
  'leading-space',
  'declared-encoding',
  'trailing-bytes',
  'control-characters',
  'undeclared-prefix',
];

/** Deviations whose repair changes what a signature may cover. */
export const CHANGES_SIGNED_BYTES: readonly Deviation[] = [
  'control-characters',
  'undeclared-prefix',
  'wrapper',
];

/** Whether the bytes of a reply may be repaired. */
export const repairsBytes = (tolerance: Tolerance): boolean =>
  OF_BYTES.some((name) => tolerance.has(name));

/**
 * A deviation of a reply that was tolerated. All names are of the configuration, the WSDL or the
 * table.
 */
export interface ToleratedDeviation {
  readonly service: string;
  readonly operation: string;
  readonly deviation: Deviation;
}
