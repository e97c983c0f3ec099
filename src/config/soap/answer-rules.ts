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
    const path = ['services', name, 'security', 'answer', 'encrypt'];
    const rule = isRecord(decrypt) ? brokenRule(decrypt) : NO_KEY;
    if (rule === null) continue;
    const what = `${printPath(path)} encrypts with the key that came with a request, and ${rule.what}`;
    findings.push({ path, part: 'key', what, remedy: rule.remedy });
  }
  return findings;
}

interface BrokenRule {
  readonly what: string;
  readonly remedy: string;
}

const NO_KEY: BrokenRule = {
  what: 'requests may come without one.',
  remedy: 'Demand it by `security.verify.decrypt` with `required: [Body]`.',
};

const UNSAFE_KEY: BrokenRule = {
  what: '`decrypt` takes keys and content by algorithms that are unsafe.',
  remedy: 'Take the `unsafe:` names out of `security.verify.decrypt`, or leave `encrypt` out.',
};

function brokenRule(decrypt: Record<string, unknown>): BrokenRule | null {
  const { required, algorithms, keyTransports } = decrypt;
  if (!Array.isArray(required) || !required.includes('Body')) return NO_KEY;
  const names: readonly unknown[] = [algorithms, keyTransports].flat();
  const isUnsafe = names.some((name) => typeof name === 'string' && name.startsWith('unsafe:'));
  return isUnsafe ? UNSAFE_KEY : null;
}
