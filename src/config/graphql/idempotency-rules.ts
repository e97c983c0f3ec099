import { printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { operationEntries } from './operation-entries.js';

/** Keys are compared by all processes, or one process gets all requests. */
export function idempotencyRules(data: Record<string, unknown>): readonly Finding[] {
  const { workers, redis } = data;
  const findings: Finding[] = [];
  const isAlone = redis !== undefined || workers === undefined || workers === 1 || workers === 0;
  for (const { path: above, mapping } of operationEntries(data)) {
    if (mapping['idempotency'] === undefined) continue;
    const path = [...above, 'idempotency'];
    if (!isAlone) {
      const what = `${printPath(path)} needs \`redis\`: several workers would each make the call.`;
      findings.push({
        path,
        part: 'key',
        what,
        remedy: 'Configure `redis`, or write `workers: 1`.',
      });
    }
    if (mapping['read'] === undefined) continue;
    const what = `${printPath(path)} is for operations that write.`;
    findings.push({ path, part: 'key', what, remedy: 'Remove it, or remove `read`.' });
  }
  return findings;
}
