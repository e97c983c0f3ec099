import { isRecord, jsonValues } from '../../core/index.js';
import { printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** Answers are encrypted with the key of their request: each request must have one. */
export function answerRules({ services }: Record<string, unknown>): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [name, service] of jsonValues.recordEntries(services)) {
    const security = jsonValues.readMember(service, 'security');
    const answer = jsonValues.readMember(security, 'answer');
    if (jsonValues.readMember(answer, 'encrypt') !== true) continue;
    const verify = jsonValues.readMember(security, 'verify');
    const decrypt = jsonValues.readMember(verify, 'decrypt');
    const required = isRecord(decrypt) ? decrypt['required'] : undefined;
    if (Array.isArray(required) && required.includes('Body')) continue;
    const path = ['services', name, 'security', 'answer', 'encrypt'];
    const what =
      `${printPath(path)} encrypts with the key that came with a request, and requests ` +
      'may come without one.';
    const remedy = 'Demand it by `security.verify.decrypt` with `required: [Body]`.';
    findings.push({ path, part: 'key', what, remedy });
  }
  return findings;
}
