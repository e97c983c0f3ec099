import { KIB, type Limits, type LimitTable } from '../../base/limit.js';

/** Limits of the package around an envelope: MTOM, and SOAP with Attachments. */
export const MIME_LIMITS = {
  parts: {
    default: 100,
    min: 1,
    max: 10_000,
    unit: 'count',
    refusal: 'MTOM_STRUCTURE',
    text: 'Parts of one package, the envelope included; Includes are as many at most.',
  },
  partHeaderBytes: {
    default: 8 * KIB,
    min: 256,
    max: 64 * KIB,
    unit: 'bytes',
    refusal: 'MTOM_STRUCTURE',
    text: 'Bytes of the header of one part. Mail programs allow this much.',
  },
  boundaryChars: {
    default: 70,
    min: 1,
    max: 70,
    unit: 'chars',
    refusal: 'MTOM_STRUCTURE',
    text: 'Length of the boundary between the parts; RFC 2046 allows 70.',
  },
  outsideBytes: {
    default: KIB,
    min: 2,
    max: 64 * KIB,
    unit: 'bytes',
    refusal: 'MTOM_STRUCTURE',
    text: 'Bytes before the first part, and bytes after the last: they are not read, and no stack sends more than a line end.',
  },
} as const satisfies LimitTable;

export type MimeLimits = Limits<typeof MIME_LIMITS>;
