import { defaultsOf } from '../../src/core/limit.js';
import { DIALECT_NAMES } from '../../src/soap/dialect.js';
import type { EnvelopeRules } from '../../src/soap/header/header.js';
import { SOAP_LIMITS } from '../../src/soap/limits.js';

export const SOAP = defaultsOf(SOAP_LIMITS);

/** Envelopes of every dialect, for a gateway that has no blocks of its own. */
export const ENVELOPE_RULES: EnvelopeRules = {
  dialects: new Set(DIALECT_NAMES),
  header: {
    ownTargets: new Set(),
    understoodByGateway: new Set(),
    understoodByService: null,
    enforce: true,
    checksAddressing: true,
  },
  headerBlocksMax: SOAP.headerBlocks,
  idsMax: SOAP.ids,
  multiRef: false,
  arrayItemsMax: null,
  readsSecurity: false,
};
