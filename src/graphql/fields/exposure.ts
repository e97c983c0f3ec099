import type { Requirement } from '../../base/requirement.js';
import type { Steps } from '../../base/time-slices.js';
import { distinctName, type ElementDeclaration, type Operation, type XsdType } from '../../wsdl/model.js';
import type { BlockMappings, RequestMapping } from '../input/block-mapping.js';
import type { FaultStyle } from '../output/faults.js';
import type { FieldCost } from '../types/cost-rules.js';
import type { TypeMappings } from '../types/mapping.js';
import type { ChoiceStyle } from '../types/members.js';
import { fieldName, isNaming01, NameScope, type Naming, pascalName } from '../types/naming.js';
import { isReading01 } from '../types/naming-0.1.js';
import type { TypeNames } from '../types/type-names.js';
import { isReading } from './is-reading.js';

/** One service as the schema sees it. */
export interface GraphqlService {
  readonly name: string;
  /** The operations of the port in use. */
  readonly operations: readonly Operation[];
  /** By the operation's name. When any entry names a field, only operations with an entry are offered. */
  readonly mapping: ReadonlyMap<string, OperationMapping>;
  readonly naming: Naming;
  /** Absent: each branch of a choice is a field. */
  readonly choices?: ChoiceStyle;
  /** Whether replies may leave out what the schema document requires; null or absent: by rule. */
  readonly nullable?: boolean | null;
  /** The mapping of single types. */
  readonly types?: TypeMappings;
  /** Every named type of the service, for `types` to be checked. */
  readonly knownTypes?: readonly XsdType[];
  /** Every global element of the service: types without a name have its name. */
  readonly elements?: readonly ElementDeclaration[];
  /** The first service of the same WSDL, whose types this one uses; absent, or itself: it has its own. */
  readonly typesOf?: string;
  /** Points for a call whose operation has no cost of its own; null or absent: the general cost of calls. */
  readonly callCost?: number | null;
  /** Header blocks of all its operations; absent: none. */
  readonly blocks?: BlockMappings;
  /** Elements of its replies may stand for others, although the WSDL does not say so; absent: they may not. */
  readonly hasReferences?: boolean;
  /** Header blocks of its replies that callers may select; absent: none. */
  readonly replyHeaders?: ReplyHeaders;
  /** What callers of an operation must have; absent: nothing. */
  requirementOf?(operation: Operation): Requirement | null;
}

export interface OperationMapping {
  /** Null: parent and name follow from the operation's name. */
  readonly field: { readonly parent: RootType; readonly name: string } | null;
  readonly hidden: boolean;
  /** Null or absent: that of the operation. */
  readonly description?: string | null;
  /** The reason; null or absent: not deprecated. */
  readonly deprecated?: string | null;
  /** How callers meet its declared Faults; absent: as errors. */
  readonly faults?: FaultStyle;
  /** Header blocks of its replies that callers may select; null or absent: as its service. */
  readonly replyHeaders?: ReplyHeaders | null;
  /** The mapping of its arguments and header blocks. */
  readonly request?: RequestMapping | null;
  /** The cost of a call, and the length of its list; null or absent: those of calls and lists in general. */
  readonly cost?: FieldCost | null;
}

/** The header blocks of replies that callers may select: `true` for those that the WSDL declares, or names of blocks. */
export type ReplyHeaders = boolean | readonly string[];

export type RootType = 'Query' | 'Mutation';

/** An operation that the schema has a use for. */
export interface Exposure {
  readonly operation: Operation;
  readonly mapping: OperationMapping | null;
  readonly parent: RootType;
  /** It is a field of its root type; else only links lead to it. */
  readonly isOffered: boolean;
  /** Its field; '' where it is not offered. */
  readonly name: string;
}

/** A service with the operations that the schema has a use for. */
export interface Exposed {
  readonly service: GraphqlService;
  readonly exposures: readonly Exposure[];
}

/** The operations of each service that the schema has a use for; `linked` are those that links lead to. */
export function* exposures(
  services: readonly GraphqlService[],
  names: TypeNames,
  linked: ReadonlySet<string>,
): Steps<readonly Exposed[]> {
  const exposed: { readonly service: GraphqlService; readonly unnamed: readonly Unnamed[] }[] = [];
  for (const service of services) {
    exposed.push({ service, unnamed: unnamedOf(service, names, linked) });
    yield;
  }
  const chosen = new Map<Unnamed, string>();
  const scopes = { Query: new NameScope(), Mutation: new NameScope() };
  const owners = new Map<string, Owner>();
  for (const { service, unnamed } of exposed) {
    for (const each of unnamed) takeMapped(service, each, { names, scopes, owners, chosen });
  }
  for (const { service, unnamed } of exposed) {
    yield;
    for (const each of unnamed) {
      if (!each.isOffered || chosen.has(each)) continue;
      const { operation, parent } = each;
      const wanted = fieldName(distinctName(operation), service.naming);
      const name = scopes[parent].take(
        wanted,
        `${fieldName(service.name, isNaming01(service.naming) ? 'camel-0.1' : 'camel')}${pascalName(wanted, service.naming)}`,
      );
      chosen.set(each, name);
      if (name === wanted) continue;
      const what = `Service ${service.name}: operation ${operation.name} is ${parent}.${name}, as ${wanted} is taken.`;
      names.warn(what, 'Give it a field of its own in the mapping.');
    }
  }
  return exposed.map(({ service, unnamed }) => ({
    service,
    exposures: unnamed.map((each) => ({ ...each, name: chosen.get(each) ?? '' })),
  }));
}

type Unnamed = Omit<Exposure, 'name'>;

interface Owner {
  readonly service: string;
  readonly operation: string;
}

interface NamingSoFar {
  readonly names: TypeNames;
  readonly scopes: Readonly<Record<RootType, NameScope>>;
  readonly owners: Map<string, Owner>;
  readonly chosen: Map<Unnamed, string>;
}

/** The names of the operations that are fields of a service. */
export function offeredBy({ operations, mapping }: GraphqlService): ReadonlySet<string> {
  const isSelective = [...mapping.values()].some((entry) => entry.field !== null && !entry.hidden);
  const isOffered = (name: string): boolean => {
    const entry = mapping.get(name) ?? null;
    return entry?.hidden !== true && !(isSelective && entry === null);
  };
  return new Set(operations.map(({ name }) => name).filter(isOffered));
}

function unnamedOf(service: GraphqlService, names: TypeNames, linked: ReadonlySet<string>): readonly Unnamed[] {
  const offered = offeredBy(service);
  const reads = isNaming01(service.naming) ? isReading01 : isReading;
  return service.operations.flatMap((operation): Unnamed[] => {
    const entry = service.mapping.get(operation.name) ?? null;
    const isOffered = offered.has(operation.name);
    if (!isOffered && !linked.has(`${service.name}.${operation.name}`)) return [];
    if (operation.status === 'disabled') {
      const why = operation.reasons.map((reason) => reason.what).join(' ');
      names.warn(`Service ${service.name}: operation ${operation.name} is not offered in GraphQL. ${why}`.trim());
      return [];
    }
    const parent = entry?.field?.parent ?? (reads(distinctName(operation)) ? 'Query' : 'Mutation');
    return [{ operation, mapping: entry, parent, isOffered }];
  });
}

/** Takes the names of the mapping first, exactly: two equal ones are an error, reported at both places. */
function takeMapped(service: GraphqlService, each: Unnamed, { names, scopes, owners, chosen }: NamingSoFar): void {
  const { operation, mapping, parent } = each;
  const wanted = mapping?.field?.name;
  if (wanted === undefined || !each.isOffered) return;
  const key = `${parent}.${wanted}`;
  const owner = owners.get(key);
  chosen.set(each, scopes[parent].take(wanted));
  if (owner === undefined) {
    owners.set(key, { service: service.name, operation: operation.name });
    return;
  }
  const here = { service: service.name, operation: operation.name };
  for (const [one, other] of [[owner, here] as const, [here, owner] as const]) {
    const what = `${key} is also the field of operation ${other.operation} of service ${other.service}.`;
    names.refuse(one.service, ['operations', one.operation, 'field'], what, 'Give each a field of its own.');
  }
}
