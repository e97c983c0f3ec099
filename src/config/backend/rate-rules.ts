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
        isRecord(mapping)
          ? ofOperation(mapping['rate'], rate, [...path, 'operations', name, 'rate'])
          : [],
      )
    : [];
  return [...ruleOf(rate, [...path, 'rate']), ...ofOperations];
}

/** The rate of the service holds for all of its operations together. */
function ofOperation(rate: unknown, ofService: unknown, path: ConfigPath): readonly Finding[] {
  const own = isRecord(rate) ? rate['perSecond'] : undefined;
  const most = isRecord(ofService) ? ofService['perSecond'] : undefined;
  if (typeof own !== 'number' || typeof most !== 'number' || own <= most) return ruleOf(rate, path);
  const at: ConfigPath = [...path, 'perSecond'];
  const what = `${printPath(at)} is more than the rate of its service, which holds for all calls.`;
  const remedy = `Write at most ${most}, or raise \`rate\` of the service.`;
  return [{ path: at, what, remedy }, ...ruleOf(rate, path)];
}

function ruleOf(rate: unknown, path: ConfigPath): readonly Finding[] {
  if (!isRecord(rate)) return [];
  const { perSecond, burst } = rate;
  if (typeof perSecond !== 'number' || typeof burst !== 'number' || burst <= perSecond) return [];
  const what = `${printPath([...path, 'burst'])} must not be more than \`perSecond\`.`;
  return [{ path: [...path, 'burst'], what, remedy: `Write at most ${perSecond}.` }];
}
