import { type Finding, finding } from '../../config/keys/finding.js';
import type { Config } from '../../config/schema.js';
import { collections } from '../../core/index.js';
import type { fieldRights } from '../../graphql/index.js';
import type { Graph } from '../graphql/graph.js';

/**
 * The rules of replies that SOAP callers need all rights for, by `service.operation`: services with
 * `restrictedReplies: refuse`.
 */
export function closedReplies(
  { services }: Pick<Config, 'services'>,
  { replyRules }: Graph,
): ReadonlyMap<string, fieldRights.FieldRule> {
  return new Map(
    [...replyRules].filter(
      ([name]) => services[serviceIn(name)]?.schema.restrictedReplies === 'refuse',
    ),
  );
}

/**
 * Warns of replies with restricted fields that all SOAP callers get because `restrictedReplies` is
 * not set.
 */
export function rightsWarnings(
  config: Pick<Config, 'services'>,
  { replyRules }: Graph,
): readonly Finding[] {
  const open = new Map<string, string[]>();
  for (const name of replyRules.keys()) {
    const service = serviceIn(name);
    if (config.services[service]?.schema.restrictedReplies !== undefined) continue;
    collections.addToGroup(open, service, name.slice(service.length + 1));
  }
  return [...open].map(([service, operations]) => {
    const names = operations.slice(0, NAMES_SHOWN).map((name) => `\`${name}\``);
    const more =
      operations.length > NAMES_SHOWN ? ` and ${operations.length - NAMES_SHOWN} others` : '';
    const what =
      `SOAP callers of ${names.join(', ')}${more} get fields that have \`scopes\` or ` +
      'a `mask` as they are.';
    const remedy =
      'Set `restrictedReplies: refuse` beside `types`, which refuses these calls; ' +
      'or `pass`, if that is meant.';
    return finding(['services', service, 'schema'], `Service \`${service}\`: ${what}`, remedy);
  });
}

const NAMES_SHOWN = 5;

const serviceIn = (name: string): string => name.slice(0, name.indexOf('.'));
