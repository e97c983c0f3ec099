import { KIB, type Limits, type LimitTable, MIB } from '../base/limit.js';

/** Limits of the envelope and of the gate that holds it back. */
export const SOAP_LIMITS = {
  windowBytes: {
    default: 64 * KIB,
    min: 4 * KIB,
    max: MIB,
    unit: 'bytes',
    refusal: null,
    text: 'A message that ends within this window is judged whole before its first byte is sent on; a longer one is held until its first Body child is judged.',
  },
  headerBytes: {
    default: 256 * KIB,
    min: KIB,
    max: 4 * MIB,
    unit: 'bytes',
    refusal: 'SOAP_HEADER_LIMIT',
    text: 'Bytes up to the first Body child: they are held in memory until they are judged.',
  },
  headerBlocks: {
    default: 64,
    min: 1,
    max: 1000,
    unit: 'count',
    refusal: 'SOAP_HEADER_LIMIT',
    text: 'Header blocks of one message.',
  },
} as const satisfies LimitTable;

export type SoapLimits = Limits<typeof SOAP_LIMITS>;
