import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** The rule of the rates of a service and of its operations. */
export function rateRules(
  { rate, operations }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  const ofOperations = isRecord(operations)
    ? Object.entries(operations).flatMap(([name, mapping]) =>
        isRecord(mapping) ? ruleOf(mapping['rate'], [...path, 'operations', name, 'rate']) : [],
      )
    : [];
  return [...ruleOf(rate, [...path, 'rate']), ...ofOperations];
}

function ruleOf(rate: unknown, path: ConfigPath): readonly Finding[] {
  if (!isRecord(rate)) return [];
  const { perSecond, burst } = rate;
  if (typeof perSecond !== 'number' || typeof burst !== 'number' || burst <= perSecond) return [];
  const what = `${printPath([...path, 'burst'])} must not be more than \`perSecond\`.`;
  return [{ path: [...path, 'burst'], what, remedy: `Write at most ${perSecond}.` }];
}
