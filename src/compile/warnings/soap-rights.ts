import type { Diagnostic } from '../../base/diagnostic.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import type { LoadedConfig } from '../../config/load.js';
import type { FieldRule } from '../../graphql/rights/field-rule.js';
import type { Graph } from '../graphql/graph.js';

/** The rules of replies that SOAP callers need all rights for, by `service.operation`: services with `restrictedReplies: refuse`. */
export function closedReplies(
  { config }: Pick<LoadedConfig, 'config'>,
  { replyRules }: Graph,
): ReadonlyMap<string, FieldRule> {
  return new Map(
    [...replyRules].filter(([name]) => config.services[serviceIn(name)]?.schema.restrictedReplies === 'refuse'),
  );
}

/** Where replies hold fields with rules, and pass to all SOAP callers without a word of the configuration. */
export function warningsOfReplyRules(loaded: LoadedConfig, { replyRules }: Graph): readonly Diagnostic[] {
  const open = new Map<string, string[]>();
  for (const name of replyRules.keys()) {
    const service = serviceIn(name);
    if (loaded.config.services[service]?.schema.restrictedReplies !== undefined) continue;
    open.set(service, [...(open.get(service) ?? []), name.slice(service.length + 1)]);
  }
  return [...open].map(([service, operations]) => {
    const names = operations.slice(0, NAMES_SHOWN).map((name) => `\`${name}\``);
    const more = operations.length > NAMES_SHOWN ? ` and ${operations.length - NAMES_SHOWN} others` : '';
    const what = `SOAP callers of ${names.join(', ')}${more} get fields that have \`scopes\` or a \`mask\` as they are.`;
    const remedy =
      'Set `restrictedReplies: refuse` beside `types`, which refuses these calls; or `pass`, if that is meant.';
    return diagnosticAt(loaded, ['services', service, 'schema'], `Service \`${service}\`: ${what}`, remedy);
  });
}

const NAMES_SHOWN = 5;

const serviceIn = (name: string): string => name.slice(0, name.indexOf('.'));
