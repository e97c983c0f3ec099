import { internal, KIB, type Limits, type LimitTable, limit, MIB } from '../../core/index.js';

/** Limits between XML and values. Those of the reader still hold beneath them. */
export const CODEC_LIMITS = {
  listItems: limit(
    10_000,
    [1, 1_000_000],
    'count',
    'UPSTREAM_RESPONSE_LIMIT',
    'Items of one list in an answer that is read for GraphQL: each becomes an object of ours.',
  ),
  inputItems: limit(
    10_000,
    [1, 1_000_000],
    'count',
    'BAD_USER_INPUT',
    'Items of one list argument: each becomes an element of the request.',
  ),
  inputDepth: limit(
    64,
    [4, 1000],
    'levels',
    'BAD_USER_INPUT',
    'Nesting of an argument. With the envelope it stays below the 100 levels common parsers allow.',
  ),
  stringChars: limit(
    MIB,
    [KIB, 64 * MIB],
    'chars',
    'BAD_USER_INPUT',
    'Length of one string argument.',
  ),
  opaqueChars: limit(
    64 * KIB,
    [KIB, MIB],
    'chars',
    'UPSTREAM_RESPONSE_LIMIT',
    'Length of XML text, of a value of any type, or of one row of a data set, in an ' +
      'answer or an argument.',
  ),
  encodedBytes: internal(
    16 * MIB,
    [64 * KIB, 256 * MIB],
    'bytes',
    'UPSTREAM_RESPONSE_LIMIT',
    'Memory for a reply by the SOAP encoding, which must be whole before it can be read; ' +
      'and again for what its references make of it.',
  ),
  attachmentBytes: limit(
    8 * MIB,
    [0, 256 * MIB],
    'bytes',
    'UPSTREAM_RESPONSE_LIMIT',
    'Bytes of binary content of one reply that a query asks for, as attachments and as base64 ' +
      'in the envelope each: an answer holds them, as base64.',
  ),
  references: internal(
    10_000,
    [0, 1_000_000],
    'count',
    'UPSTREAM_INVALID_RESPONSE',
    'References (`href`, `ref`) in one reply by the SOAP encoding, and how many are followed.',
  ),
} satisfies LimitTable;

export type CodecLimits = Limits<typeof CODEC_LIMITS>;
