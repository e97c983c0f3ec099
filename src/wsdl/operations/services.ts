import { type Diagnostic, getOrMake } from '../../core/index.js';
import { WSDL, WSDL_HTTP, WSDL_SOAP12 } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import {
  attributeOf,
  childrenOf,
  diagnosticAtNode,
  nameOfNode,
  type XmlNode,
} from '../documents/xml-tree.js';
import {
  type AddressingUse,
  type Operation,
  type Port,
  typeKey,
  type WsdlService,
} from '../model.js';
import { addressingUseOf, strongestUse } from './addressing-use.js';
import { type Definitions, referredBy, targetOf } from './definitions.js';
import { soapChildren } from './messages.js';
import {
  operationsOfPortType,
  type PortTypeOperations,
  pairOperations,
} from './operation-pairs.js';
import { type OperationContext, readOperations } from './operations.js';
import { demandsPackages } from './package-use.js';
import { SecurityPolicies } from './security-policy.js';
import { type PairedOperation, tellApart } from './tell-apart.js';

/** Operations that all ports together may have: any number of ports may share a binding. */
const MOST_OPERATIONS = 200_000;

/**
 * Reads every service that has a SOAP port. Other and invalid ports are left out with a warning.
 */
export function readServices(
  definitions: Definitions,
  bindings: BindingReader,
  warnings: Warnings,
): WsdlService[] {
  const left: Diagnostic[] = [];
  let operations = 0;
  const services = definitions.services
    .map((service) => ({
      name: { uri: targetOf(service), local: nameOfNode(service) },
      ports: childrenOf(service, WSDL, 'port').flatMap((node) => {
        const port = readPort(node, definitions, bindings);
        operations += 'what' in port ? 0 : port.operations.length;
        const isTooMuch = operations > MOST_OPERATIONS;
        if (!isTooMuch && !('what' in port)) return [port];
        left.push(
          'what' in port
            ? port
            : diagnosticAtNode(node, 'The ports have more operations than allowed: left out.'),
        );
        return [];
      }),
    }))
    .filter(({ ports }) => ports.length > 0);
  // Without a usable port the reasons are in the operations.
  if (services.length > 0) {
    warnings.add(...left);
  }
  return withOwnNames(services);
}

/**
 * Ports are chosen by their names: one whose name an earlier service has already is `Service.Port`.
 */
function withOwnNames(services: readonly WsdlService[]): WsdlService[] {
  const taken = new Set<string>();
  return services.map((service) => ({
    name: service.name,
    ports: service.ports.map((port) => {
      const name = taken.has(port.name) ? `${service.name.local}.${port.name}` : port.name;
      taken.add(name);
      return { ...port, name };
    }),
  }));
}

/** The text of the warning about a port that is no SOAP port. */
export const leftOut = (port: string, refusal: string): string =>
  `The port ${port} is left out: ${refusal}.`;

function readPort(
  port: XmlNode,
  definitions: Definitions,
  bindings: BindingReader,
): Port | Diagnostic {
  const name = nameOfNode(port);
  const binding = referredBy(port, 'binding', definitions.bindings);
  const missing = `the binding ${attributeOf(port, 'binding') ?? ''} is not defined`;
  const refusal = binding === null ? missing : refusalOf(binding);
  if (binding === null || refusal !== null) {
    return diagnosticAtNode(port, leftOut(name, refusal ?? missing));
  }
  const demands = demandsOf(port, definitions);
  // Operations of a binding are shared by its ports, unless a port demands more.
  const isPlain = demands.use === null && !demands.isPackaged;
  const read = bindings.read(binding, null, isPlain ? null : demands);
  const protection = bindings.protectionOf(port, binding);
  const own = protection.length === 0 ? {} : { demands: protection };
  return { name, ...read, address: addressOf(port), ...own };
}

/** The demands of a port or binding, by its extensions and policies. */
interface Demands {
  readonly use: AddressingUse | null;
  readonly isPackaged: boolean;
}

const demandsOf = (element: XmlNode, { policies }: Definitions): Demands => ({
  use: addressingUseOf(element, policies),
  isPackaged: demandsPackages(element, policies),
});

const withDemands = (
  all: readonly PairedOperation[],
  { use, isPackaged }: Demands,
): readonly PairedOperation[] =>
  all.map(({ operation, pair }) => ({
    operation: withPackages(withAddressing(operation, use), isPackaged),
    pair,
  }));

/** An operation with the addressing of its port, binding and own extensions: required prevails. */
function withAddressing(operation: Operation, use: AddressingUse | null): Operation {
  const isSaid = use === null || operation.addressing?.isRequired === true;
  return isSaid ? operation : { ...operation, addressing: use };
}

const withPackages = (operation: Operation, isPackaged: boolean): Operation =>
  isPackaged ? { ...operation, isPackaged } : operation;

/** The address of a port, whatever its binding. */
export function addressOf(port: XmlNode): string | null {
  const address =
    soapChildren(port, 'address')[0] ?? port.children.find(({ local }) => local === 'address');
  return address === undefined ? null : attributeOf(address, 'location');
}

/** Why a binding is not one of SOAP over HTTP; null when it is. */
export function refusalOf(binding: XmlNode): string | null {
  const [soap] = soapChildren(binding, 'binding');
  if (soap === undefined) {
    const isHttp = binding.children.some(({ uri }) => uri === WSDL_HTTP);
    return `its binding is ${isHttp ? 'for plain HTTP' : 'not for SOAP'}`;
  }
  const transport = attributeOf(soap, 'transport') ?? '';
  return /[/:](jms|smtp|mail|tcp|msmq)\/?$/i.test(transport) ? 'its transport is not HTTP' : null;
}

/** Among more port types than this none is guessed. */
const GUESSES = 20;

/** Reads bindings, each once: several ports may share one. */
export class BindingReader {
  readonly #definitions: Definitions;
  readonly #context: OperationContext;
  readonly #security: SecurityPolicies;
  readonly #described = new Map<XmlNode, readonly PairedOperation[]>();
  readonly #read = new Map<XmlNode, readonly Operation[]>();
  readonly #portTypes = new Map<XmlNode, PortTypeOperations>();
  /**
   * The use of WS-Addressing that each element asks for: many bindings may share a port type of
   * many operations.
   */
  readonly #addressingUses = new Map<XmlNode, AddressingUse | null>();
  /** The name of the port type that each binding refers to. */
  readonly #portTypeNames = new Map<XmlNode, string>();
  /** The operations of port types that a port offers. */
  readonly covered = new Set<XmlNode>();

  constructor(definitions: Definitions, context: OperationContext) {
    this.#definitions = definitions;
    this.#context = context;
    this.#security = new SecurityPolicies(definitions);
  }

  /** The demands of the policies of a port. */
  protectionOf(port: XmlNode, binding: XmlNode): readonly Diagnostic[] {
    const portType = referredBy(binding, 'type', this.#definitions.portTypes);
    return this.#security.demandsOf(port, port.parent, binding, portType);
  }

  /** The port type of a binding, or null, with a warning where no other is reported. */
  portTypeOf(binding: XmlNode): XmlNode | null {
    const { portTypes } = this.#definitions;
    const found = referredBy(binding, 'type', portTypes);
    if (found !== null || attributeOf(binding, 'type') !== null) return found;
    const wanted = childrenOf(binding, WSDL, 'operation').map((each) => nameOfNode(each));
    if (wanted.length === 0 || portTypes.size > GUESSES) return null;
    const fitting = [...portTypes.values()].filter((portType) => {
      const { byName } = this.#operationsOf(portType);
      return wanted.every((name) => byName.has(name));
    });
    const [only, ...others] = fitting;
    if (only === undefined || others.length > 0) return null;
    const what =
      `The binding names no port type; ${attributeOf(only, 'name')}, which has ` +
      'its operations, is taken.';
    this.#context.warnings.addAt(binding, what);
    return only;
  }

  /**
   * Reads the part of a port that its binding declares. `why` disables its operations; `own` are
   * the port's demands.
   */
  read(
    binding: XmlNode,
    why: Diagnostic | null = null,
    own: Demands | null = null,
  ): Pick<Port, 'dialect' | 'operations' | 'portType'> {
    const [soap] = soapChildren(binding, 'binding');
    const all = getOrMake(this.#described, binding, () => this.#operations(binding, why));
    const shared = getOrMake(this.#read, binding, () => tellApart(all));
    const operations = own === null ? shared : tellApart(withDemands(all, own));
    const dialect = soap?.uri === WSDL_SOAP12 ? '1.2' : '1.1';
    const portType = this.#portTypeNames.get(binding);
    return { dialect, operations, ...(portType === undefined ? {} : { portType }) };
  }

  /** Whether a port has the binding. */
  hasRead(binding: XmlNode): boolean {
    return this.#read.has(binding);
  }

  #operations(binding: XmlNode, why: Diagnostic | null): readonly PairedOperation[] {
    const portType = this.portTypeOf(binding);
    const missing = `The port type ${attributeOf(binding, 'type') ?? ''} is not defined.`;
    const reason = why ?? (portType === null ? diagnosticAtNode(binding, missing) : null);
    const abstract = portType === null ? null : this.#operationsOf(portType);
    if (portType !== null) {
      this.#portTypeNames.set(
        binding,
        typeKey({ uri: targetOf(portType), local: nameOfNode(portType) }),
      );
    }
    const pairs = pairOperations(binding, abstract, this.#context.warnings);
    for (const pair of pairs) {
      if (pair.abstract !== null) {
        this.covered.add(pair.abstract);
      }
    }
    const declaring = portType === null ? [binding] : [binding, portType];
    const use = strongestUse(declaring.flatMap((each) => this.#addressingUseOf(each) ?? []));
    const isPackaged = demandsPackages(binding, this.#definitions.policies);
    const operations = readOperations(pairs, this.#context, reason);
    const described = pairs.flatMap((pair, at) => {
      const operation = operations[at];
      return operation === undefined ? [] : [{ operation, pair }];
    });
    return withDemands(described, { use, isPackaged });
  }

  #addressingUseOf(element: XmlNode): AddressingUse | null {
    return getOrMake(this.#addressingUses, element, () =>
      addressingUseOf(element, this.#definitions.policies),
    );
  }

  #operationsOf(portType: XmlNode): PortTypeOperations {
    return getOrMake(this.#portTypes, portType, () => operationsOfPortType(portType));
  }
}
