import { isRecord, recordEntries } from '../../base/record.js';
import { printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/**
 * What the gateway signs is the envelope alone: content of other parts could be replaced on the
 * way.
 */
export function mtomRules({ services }: Record<string, unknown>): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [name, service] of recordEntries(services)) {
    if (!isRecord(service) || service['mtom'] !== true || !isRecord(service['security'])) continue;
    const { make } = service['security'];
    if (!isRecord(make) || make['signature'] === undefined) continue;
    const path = ['services', name, 'mtom'];
    const what = `${printPath(path)} puts binary content beside the envelope, where \`security.make.signature\` does not cover it.`;
    findings.push({
      path,
      part: 'key',
      what,
      remedy:
        'Remove `mtom`: the signature then covers the content, which is base64 in the envelope. Replies may be packages.',
    });
  }
  return findings;
}
