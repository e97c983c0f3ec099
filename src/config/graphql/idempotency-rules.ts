import { isRecord } from '../../base/record.js';
import { printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** Keys are compared by all processes, or one process gets all requests. */
export function idempotencyRules({ services, workers, redis }: Record<string, unknown>): readonly Finding[] {
  if (!isRecord(services)) return [];
  const findings: Finding[] = [];
  const isAlone = redis !== undefined || workers === undefined || workers === 1 || workers === 0;
  for (const [name, service] of Object.entries(services)) {
    const operations = isRecord(service) ? service['operations'] : null;
    for (const [operation, mapping] of isRecord(operations) ? Object.entries(operations) : []) {
      if (!isRecord(mapping) || mapping['idempotency'] === undefined) continue;
      const path = ['services', name, 'operations', operation, 'idempotency'];
      if (!isAlone) {
        const what = `${printPath(path)} needs \`redis\`: several workers would each make the call.`;
        findings.push({ path, part: 'key', what, remedy: 'Configure `redis`, or write `workers: 1`.' });
      }
      if (mapping['read'] === undefined) continue;
      const what = `${printPath(path)} is for operations that write.`;
      findings.push({ path, part: 'key', what, remedy: 'Remove it, or remove `read`.' });
    }
  }
  return findings;
}
