import { isRecord, jsonValues, tolerated } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** A reply whose signature is verified cannot be repaired in what is signed. */
export function toleranceRules({ services }: Record<string, unknown>): readonly Finding[] {
  return jsonValues.recordEntries(services).flatMap(([name, service]) => {
    if (!isRecord(service) || !isRecord(service['security'])) return [];
    if (service['security']['verifyReplies'] === undefined) return [];
    const path = ['services', name];
    const operations = jsonValues
      .recordEntries(service['operations'])
      .flatMap(([operation, mapping]) =>
        isRecord(mapping)
          ? findings(mapping['tolerate'], [...path, 'operations', operation, 'tolerate'], name)
          : [],
      );
    return [...findings(service['tolerate'], [...path, 'tolerate'], name), ...operations];
  });
}

function findings(names: unknown, path: ConfigPath, service: string): readonly Finding[] {
  if (!Array.isArray(names)) return [];
  return tolerated.CHANGES_SIGNED_BYTES.filter((name) => names.includes(name)).map((name) => ({
    path,
    part: 'key',
    what:
      `${printPath(path)} has \`${name}\`, which changes bytes that ` +
      `\`services.${service}.security.verifyReplies\` verifies.`,
    remedy: `Remove \`${name}\`, or \`verifyReplies\`.`,
  }));
}
