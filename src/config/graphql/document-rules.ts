import { isRecord } from '../../core/index.js';
import type { Finding } from '../keys/finding.js';

/** Rules between the keys about documents. */
export function documentRules(data: Record<string, unknown>): readonly Finding[] {
  const graphql = data['graphql'];
  if (!isRecord(graphql)) return [];
  const { persisted, trusted } = graphql;
  if (!isRecord(persisted) || persisted['automatic'] !== true) return [];
  if (!isRecord(trusted) || trusted['only'] !== true) return [];
  const what = '`graphql.persisted` remembers what `graphql.trusted` does not let run.';
  return [
    {
      path: ['graphql', 'persisted', 'automatic'],
      part: 'key',
      what,
      remedy: 'Remove one of the two.',
    },
  ];
}
