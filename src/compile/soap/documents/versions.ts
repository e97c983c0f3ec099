import { type Finding, finding, invalid } from '../../../config/keys/finding.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import type { ServiceConfig } from '../../../config/schema.js';
import type { DialectName } from '../../../soap/index.js';
import type { Port, WsdlModel } from '../../../wsdl/index.js';

/** The versions of SOAP that a service speaks; calls are made in the first. */
export type Versions = readonly [DialectName, ...DialectName[]];

const DEFAULT: Versions = ['1.1'];

/**
 * The versions of a service: as configured, else by the bindings of its ports. `ports` are all SOAP
 * ports of its WSDL, none where it has no WSDL. A second version is a default only where its port
 * has the same address and port type: there the backend reads both.
 */
export function versionsOf(
  { versions, port, ports: names }: Pick<ServiceConfig, 'versions' | 'port' | 'ports'>,
  ports: readonly Port[],
): Versions {
  if (versions !== undefined) return versions;
  const wanted = names ?? (port === undefined ? null : [port]);
  if (wanted !== null) {
    const [first, ...others] = wanted.flatMap(
      (name) => ports.find((each) => each.name === name) ?? [],
    );
    return first === undefined ? DEFAULT : distinct(first, others);
  }
  const first = ports.find(({ dialect }) => dialect === '1.1') ?? ports[0];
  if (first === undefined) return DEFAULT;
  return distinct(
    first,
    ports.filter(
      ({ address, portType }) =>
        address !== null &&
        address === first.address &&
        portType !== undefined &&
        portType === first.portType,
    ),
  );
}

const distinct = ({ dialect }: Port, others: readonly Port[]): Versions => [
  dialect,
  ...new Set(others.map((other) => other.dialect).filter((other) => other !== dialect)),
];

/**
 * The warning of configured versions that no binding of the WSDL has. 2001-12 is older than
 * bindings.
 */
export function versionWarnings(
  { name, config: { versions, port, ports } }: ServicePlan,
  model: WsdlModel | null,
  chosen: readonly Port[],
): readonly Finding[] {
  if (versions === undefined || model === null) return [];
  const all = model.services.flatMap((described) => described.ports);
  const isNamed = port !== undefined || ports !== undefined;
  const bound = new Set((isNamed ? chosen : all).map(({ dialect }) => dialect));
  const unbound = versions.filter((version) => version !== '2001-12' && !bound.has(version));
  if (unbound.length === 0 || bound.size === 0) return [];
  const what =
    `Service \`${name}\`: \`versions\` has ${unbound.join(', ')}, ` +
    `but ${isNamed ? `\`${port === undefined ? 'ports' : 'port'}\` of the WSDL has` : 'the WSDL has'} ` +
    `bindings of SOAP ${[...bound].join(', ')} only.`;
  return [
    finding(
      ['versions'],
      what,
      'Remove `versions`: it follows the bindings; or leave it, where the backend speaks ' +
        'more than its WSDL says.',
    ),
  ];
}

/**
 * The further versions that callers may speak. Throws `FindingsError` for one that the service
 * speaks itself.
 */
export function bridgedVersions(
  { bridge = [] }: Pick<ServiceConfig, 'bridge'>,
  versions: Versions,
): readonly DialectName[] {
  const both = bridge.find((version) => versions.includes(version));
  if (both === undefined) return bridge;
  throw invalid(
    ['bridge'],
    `\`bridge\` has ${both}, which the service speaks itself: \`versions\` is ` +
      `${versions.join(', ')}.`,
    `Remove ${both} from \`bridge\`, or from \`versions\` where calls must not go out in it.`,
  );
}
