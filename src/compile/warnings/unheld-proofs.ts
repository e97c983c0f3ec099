import { proofDemands } from '../../config/clients/token-keys.js';
import { type Finding, finding } from '../../config/keys/finding.js';
import { listenersOf } from '../../config/listen/listen-keys.js';
import type { Config } from '../../config/schema.js';

/**
 * A proof is about the address of a request: where the gateway does not know its own, callers name
 * any. A certificate comes by a listener that asks for one.
 */
export function warningsOfProofs(config: Config): readonly Finding[] {
  const { clients, listen, hosts, publicUrl } = config;
  const demands = proofDemands(clients);
  const isNamed = publicUrl !== undefined || hosts.length > 0;
  const takesCertificates = listenersOf(listen).some(
    ({ listener: { tls } }) => tls !== undefined && tls.clientCertificate !== 'none',
  );
  const findings: Finding[] = [];
  if (!isNamed && demands.some((demand) => demand === 'dpop' || demand === 'either')) {
    const what =
      'Proofs of tokens are compared with the Host that a request names itself: a proof ' +
      'for a server of another name may be used here.';
    findings.push(finding(['clients'], what, 'Name the gateway in `publicUrl` or `hosts`.'));
  }
  if (!takesCertificates && demands.includes('mtls')) {
    const what =
      'Tokens must be bound to a certificate (`proof: mtls`), and no address of `listen` ' +
      'asks for one: all are refused.';
    const remedy = 'Write `tls.clientCertificate` with `clientCa` there.';
    findings.push(finding(['clients'], what, remedy));
  }
  return findings;
}
