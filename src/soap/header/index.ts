/** Header blocks: addressing, Security, blocks that the gateway writes. */

export { type Addressing, isAddressing, isAnonymous, WSA_1_0, WSA_2004_08 } from './addressing.js';
export { FreshnessChecker } from './freshness.js';
export type { EnvelopeRules } from './header.js';
export { type BlockWriter, type HeaderPlace, printBlocks } from './header-place.js';
export { isSecurity, SECURITY_NAMES } from './security-reader.js';
export { type MadeSecurity, type SecurityWriter, securityWriter } from './security-writer.js';
