import { isRecord, jsonValues } from '../../core/index.js';
import { printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** Keys of `security.verify` that prove who sent a message. */
const PROOFS = ['signature', 'usernameToken', 'saml'] as const;

/**
 * The signature of the gateway over the message of a SOAP caller speaks for that: the caller must
 * have proved who it is.
 */
export function signingRules({ services, clients }: Record<string, unknown>): readonly Finding[] {
  if (isKnown(clients)) return [];
  const findings: Finding[] = [];
  for (const [name, service] of jsonValues.recordEntries(services)) {
    if (!isRecord(service) || !isRecord(service['security'])) continue;
    const { make, verify } = service['security'];
    if (!isRecord(make) || make['replace'] !== true || make['signature'] === undefined) continue;
    if (isRecord(verify) && PROOFS.some((key) => verify[key] !== undefined)) continue;
    const path = ['services', name, 'security', 'make', 'replace'];
    const what =
      `${printPath(path)} signs the messages of SOAP callers, and ` +
      'nothing proves who they are.';
    const remedy =
      'Add `security.verify` with a `signature`, a `usernameToken` or `saml`, identify all ' +
      'callers by `clients` without `address`, or remove `replace`.';
    findings.push({ path, part: 'key', what, remedy });
  }
  return findings;
}

/**
 * Callers without credentials are refused: classes are there, and an address is not enough for one.
 */
const isKnown = (clients: unknown): boolean =>
  isRecord(clients) && clients['classes'] !== undefined && clients['address'] === undefined;
