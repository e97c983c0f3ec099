import type { ServiceConfig } from '../../../config/schema.js';
import type { Diagnostic } from '../../../core/index.js';
import { type Port, report, type WsdlModel } from '../../../wsdl/index.js';

/**
 * The warnings of a WSDL and of the policies of these ports, without those about header blocks of
 * replies and about policies where the configuration decides on them.
 */
export function warningsOfWsdl(
  wsdl: WsdlModel | null,
  ports: readonly Port[],
  config: ServiceConfig,
): readonly Diagnostic[] {
  const { replyHeaders, operations } = config;
  const keys = [
    replyHeaders,
    ...Object.values(operations).map((one) => typeof one === 'object' && one.replyHeaders),
  ];
  const isDecided = keys.some((value) => value !== undefined && value !== false);
  const met = new Set(demandsMet(config).map(report.remedyOfDemand));
  return (wsdl === null ? [] : report.warningsOfPorts(wsdl, ports)).filter(
    ({ remedy }) => !(isDecided && remedy === report.SELECT_HEADERS) && !met.has(remedy ?? ''),
  );
}

/**
 * The demands of policies that the configuration makes of callers, or that calls of the gateway
 * meet.
 */
function demandsMet({
  security: { make, verify },
}: ServiceConfig): readonly report.SecurityDemand[] {
  const passes = verify?.encrypted === 'pass';
  const isMet: Readonly<Record<report.SecurityDemand, boolean>> = {
    timestamp: make?.timestamp === true || verify?.timestamp.required === true,
    signature: make?.signature !== undefined || verify?.signature !== undefined,
    usernameToken: make?.usernameToken !== undefined || verify?.usernameToken !== undefined,
    saml: verify?.saml !== undefined,
    encryption: [make?.encrypt, verify?.decrypt].some((key) => key !== undefined) || passes,
  };
  return report.SECURITY_DEMANDS.filter((demand) => isMet[demand]);
}
