import { CALLER_PROTECTIONS } from './caller-protections.js';
import { SERVICE_PROTECTIONS } from './service-protections.js';

/**
 * What protection is in this program, one row for each: the keys, how a later configuration is
 * compared with an earlier one, and what absence means. The comparison of reloads, the lines of
 * `check` and the table of the manual are made from it.
 */
export const PROTECTIONS = { ...CALLER_PROTECTIONS, ...SERVICE_PROTECTIONS };

export type ProtectionName = keyof typeof PROTECTIONS;
