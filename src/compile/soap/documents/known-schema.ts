import { Buffer } from 'node:buffer';
import { isProblem, type Problem } from '../../../config/keys/finding.js';
import { isRecord, jsonValues } from '../../../core/index.js';

/**
 * The result of an earlier compilation of the same GraphQL schema: it had no errors. A start that
 * knows it takes SOAP requests first, and compiles the schema behind that.
 */
export interface KnownSchema {
  /** The warnings about the schema. */
  readonly warnings: readonly Problem[];
}

/** The content of the file that remembers a schema. */
export const writeKnown = (key: string, { warnings }: KnownSchema): Buffer =>
  Buffer.from(JSON.stringify({ key, warnings }));

/** Null for bytes that `writeKnown` did not write for this key. */
export function readKnown(key: string, bytes: Buffer): KnownSchema | null {
  const known = jsonValues.parsedJson(bytes.toString('utf8'));
  if (!isRecord(known) || known['key'] !== key) return null;
  const { warnings } = known;
  return Array.isArray(warnings) && warnings.every(isProblem) ? { warnings } : null;
}
