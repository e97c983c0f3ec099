import type { OperationConfig } from './schema.js';

/** The claims of callers that requests of an operation hold. */
export function claimsIn(operation: OperationConfig | undefined): readonly string[] {
  if (typeof operation !== 'object') return [];
  const entries = [...Object.values(operation.arguments ?? {}), ...Object.values(operation.headers ?? {})];
  return entries.flatMap(({ claim }) => claim ?? []);
}
