import { KIB, type Limits, type LimitTable, MIB } from '../../base/limit.js';

/** Limits between XML and values. Those of the reader still hold beneath them. */
export const CODEC_LIMITS = {
  listItems: {
    default: 10_000,
    min: 1,
    max: 1_000_000,
    unit: 'count',
    refusal: 'UPSTREAM_RESPONSE_LIMIT',
    text: 'Items of one list in an answer that is read for GraphQL: each becomes an object of ours.',
  },
  inputItems: {
    default: 10_000,
    min: 1,
    max: 1_000_000,
    unit: 'count',
    refusal: 'BAD_USER_INPUT',
    text: 'Items of one list argument: each becomes an element of the request.',
  },
  inputDepth: {
    default: 64,
    min: 4,
    max: 1000,
    unit: 'levels',
    refusal: 'BAD_USER_INPUT',
    text: 'Nesting of an argument. With the envelope it stays below the 100 levels common parsers allow.',
  },
  stringChars: {
    default: MIB,
    min: KIB,
    max: 64 * MIB,
    unit: 'chars',
    refusal: 'BAD_USER_INPUT',
    text: 'Length of one string argument.',
  },
  opaqueChars: {
    default: 64 * KIB,
    min: KIB,
    max: MIB,
    unit: 'chars',
    refusal: 'UPSTREAM_RESPONSE_LIMIT',
    text: 'Length of content that is handed out, or taken in an argument, as XML text because its type is not modelled.',
  },
  encodedBytes: {
    default: 16 * MIB,
    min: 64 * KIB,
    max: 256 * MIB,
    unit: 'bytes',
    refusal: 'UPSTREAM_RESPONSE_LIMIT',
    text: 'Memory for a reply by the SOAP encoding, which must be whole before it can be read; and again for what its references make of it.',
  },
  attachmentBytes: {
    default: 8 * MIB,
    min: 0,
    max: 256 * MIB,
    unit: 'bytes',
    refusal: 'UPSTREAM_RESPONSE_LIMIT',
    text: 'Bytes of binary content of one reply that a query asks for, as attachments and as base64 in the envelope each: an answer holds them, as base64.',
  },
  references: {
    default: 10_000,
    min: 0,
    max: 1_000_000,
    unit: 'count',
    refusal: 'UPSTREAM_INVALID_RESPONSE',
    text: 'References (`href`, `ref`) in one reply by the SOAP encoding, and how many are followed.',
  },
} as const satisfies LimitTable;

export type CodecLimits = Limits<typeof CODEC_LIMITS>;
