import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import { meaningOfField } from '../keys/field-meanings.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';
import { operationEntries } from './operation-entries.js';

/** Keys are compared by all processes, or one process gets all requests. */
export function idempotencyRules(data: Record<string, unknown>): readonly Finding[] {
  const { workers, redis } = data;
  const credentials = credentialFields(data);
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
    findings.push(...headerRules(mapping['idempotency'], path, credentials));
    if (mapping['read'] === undefined) continue;
    const what = `${printPath(path)} is for operations that write.`;
    findings.push({ path, part: 'key', what, remedy: 'Remove it, or remove `read`.' });
  }
  return findings;
}

/**
 * A field with a meaning of its own is no key: its value is the same in many requests, or another
 * in each.
 */
function headerRules(
  idempotency: unknown,
  path: ConfigPath,
  credentials: ReadonlyMap<string, string>,
): readonly Finding[] {
  if (!isRecord(idempotency) || typeof idempotency['header'] !== 'string') return [];
  const name = textAtKey(idempotency['header']).toLowerCase();
  const meaning = credentials.get(name) ?? meaningOfField(name);
  if (meaning === null) return [];
  const at = [...path, 'header'];
  const what = `${printPath(at)} is \`${name}\`, which ${meaning}: it cannot be a key.`;
  const remedy = 'Write a field of its own: idempotency-key.';
  return [{ path: at, part: 'value', what, remedy }];
}

/** The fields of credentials of clients, by their names in lower case. */
function credentialFields({ clients }: Record<string, unknown>): ReadonlyMap<string, string> {
  const ways = isRecord(clients) ? [clients['apiKeys'], clients['certificate']] : [];
  const names = ways.map((way) => (isRecord(way) ? way['header'] : null));
  return new Map(
    [...USUAL_CREDENTIALS, ...names]
      .filter((name) => typeof name === 'string')
      .map((name) => [name.toLowerCase(), 'holds credentials']),
  );
}

const USUAL_CREDENTIALS = ['x-api-key', 'x-client-certificate', 'client-cert', 'client-cert-chain'];
