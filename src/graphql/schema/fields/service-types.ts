import { getOrMake, type Steps } from '../../../core/index.js';
import {
  type ComplexType,
  childrenOfBody,
  distinctName,
  type Operation,
  type Particle,
  type XsdType,
} from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import { InputTypes } from '../input/input.js';
import { FaultTypes } from '../output/faults.js';
import { OutputTypes } from '../output/output.js';
import { KnownTypes } from '../types/known-types.js';
import { LeafTable } from '../types/leaf.js';
import type { TypeMappings } from '../types/mapping.js';
import { MemberTable } from '../types/members.js';
import { pascalName } from '../types/naming.js';
import { hasReferences, reach } from '../types/reach.js';
import { type DeclaredNames, type ServiceNaming, TypeNames } from '../types/type-names.js';
import { type GraphqlService, offeredBy } from './exposure.js';
import type { ServiceTypes } from './field-types.js';
import { HeaderTypes } from './header-types.js';
import { operationField } from './operation-field.js';
import { replyBlocks } from './reply-headers.js';

/** The complex types that replies to these operations reach, with those derived from them. */
function typesWithin(operations: readonly Operation[]): ReadonlySet<ComplexType> {
  const types = new Set<ComplexType>();
  const add = (type: XsdType): void => {
    if (type.kind === 'complex') {
      types.add(type);
    }
  };
  for (const { output } of operations) {
    for (const { type } of output === null ? [] : childrenOfBody(output)) {
      add(type);
    }
  }
  for (const type of types) {
    for (const derived of type.derived) {
      add(derived);
    }
    const { content } = type;
    if (content.kind === 'array') {
      add(content.item);
    }
    const particles: Particle[] = content.kind === 'elements' ? [content.particle] : [];
    for (const particle of particles) {
      if (particle.kind === 'one') {
        add(particle.element.type);
      } else if (particle.kind !== 'any') {
        particles.push(...particle.particles);
      }
    }
  }
  return types;
}

/**
 * The types of the fields of these operations. `replies` are the types of all replies; null: of
 * these.
 */
export function serviceTypes(
  { owner: service, services }: TypeGroup,
  operations: readonly Operation[],
  replies: ReadonlySet<XsdType> | null,
  leaves: LeafTable,
  allNames: TypeNames,
): ServiceTypes {
  const allOperations = services.flatMap((each) => each.operations);
  const { choices = 'fields', nullable = null } = service;
  const isEncoded = allOperations.some(({ use }) => use === 'encoded');
  const anyTypes = (members: MemberTable) => new KnownTypes(members);
  const { knownTypes = [], elements: knownElements = [] } = service;
  const nullableTypes = typesWithin(services.flatMap((each) => each.nullableReplies ?? []));
  const rules = {
    choices,
    nullable,
    nullableTypes,
    isEncoded,
    knownTypes,
    knownElements,
    anyTypes,
  };
  const names = allNames.of(service.name);
  const members = new MemberTable(rules, names);
  const offered = new Set(operations);
  const blocks = services.flatMap((each) =>
    each.operations.flatMap((operation) =>
      offered.has(operation) ? replyBlocks(operation, each) : [],
    ),
  );
  const headers = blocks.flatMap(({ element }) => element ?? []);
  const roots = operations.flatMap((operation): XsdType[] => {
    const answer = operation.output === null ? [] : childrenOfBody(operation.output);
    const replies = [...answer, ...operation.faults.map(({ element }) => element)];
    for (const element of [...childrenOfBody(operation.input), ...replies]) {
      names.mapping.meet(element);
    }
    return replies.map(({ type }) => type);
  });
  for (const element of headers) {
    names.mapping.meet(element);
  }
  const reached = reach([...roots, ...headers.map(({ type }) => type)], members);
  const output = new OutputTypes(members, leaves, names, reached, isEncoded);
  return {
    members,
    leaves,
    names,
    input: new InputTypes(members, leaves, names, replies ?? reached.types),
    output,
    faults: new FaultTypes(members, leaves, names, output),
    headers: new HeaderTypes(names, allOperations),
    hasReferences: hasReferences(reached.types),
    answers: [],
    replyHeaders: new Map(),
  };
}

/**
 * The services of one WSDL that share their types. The first one gives its name, its naming and the
 * mapping of types.
 */
export interface TypeGroup {
  readonly owner: GraphqlService;
  readonly services: readonly GraphqlService[];
}

/** The services by whose types they use, in order. */
export function typeGroups(services: readonly GraphqlService[]): readonly TypeGroup[] {
  const groups = new Map<
    string,
    { readonly owner: GraphqlService; readonly services: GraphqlService[] }
  >();
  for (const service of services) {
    const known = groups.get(service.typesOf ?? service.name);
    if (known === undefined) {
      groups.set(service.name, { owner: service, services: [service] });
    } else {
      known.services.push(service);
    }
  }
  return [...groups.values()];
}

/** The names of the types of a group when its services offer all of their operations. */
export interface Declared {
  readonly names: DeclaredNames;
  /** The types of all replies. */
  readonly replies: ReadonlySet<XsdType>;
}

/** The declared names, of each group that leaves out operations: by the name of its owner. */
export function* declaredNames(groups: readonly TypeGroup[]): Steps<ReadonlyMap<string, Declared>> {
  const declared = new Map<string, Declared>();
  for (const group of groups) {
    const { owner, services } = group;
    const offered = services.map(offeredBy);
    const leavesOut = services.some(({ operations }, at) =>
      operations.some(({ name }) => !offered[at]?.has(name)),
    );
    if (leavesOut && offered.some(({ size }) => size > 0)) {
      declared.set(owner.name, yield* declaredBy(group));
    }
    yield;
  }
  return declared;
}

export const mappingsOf = (groups: readonly TypeGroup[]): ReadonlyMap<string, TypeMappings> =>
  new Map(groups.map(({ owner: { name, types = new Map() } }) => [name, types]));

export const namingsOf = (groups: readonly TypeGroup[]): ReadonlyMap<string, ServiceNaming> =>
  new Map(
    groups.flatMap((group) => {
      const naming = { naming: group.owner.naming, elements: elementNames(group) };
      return group.services.map(({ name }): [string, ServiceNaming] => [name, naming]);
    }),
  );

/**
 * The names of types without one that belong to a global element. The type of a reply that one
 * operation has is named after that. The name of a type that has one is not given to another.
 */
function elementNames({ owner, services }: TypeGroup): ServiceNaming['elements'] {
  const names = new Map<XsdType, QName>();
  const { knownTypes = [], elements = [] } = owner;
  const taken = new Set(
    knownTypes.flatMap(({ name }) => (name === null ? [] : [pascalName(name.local)])),
  );
  const replies = repliesOfOne(services.flatMap(({ operations }) => operations));
  for (const { name, type } of elements) {
    const isFree = type.name === null && !names.has(type) && !replies.has(type);
    if (isFree && !taken.has(pascalName(name.local))) {
      names.set(type, name);
    }
  }
  return names;
}

/** The types of replies that operations of but one name have. */
function repliesOfOne(operations: readonly Operation[]): ReadonlySet<XsdType> {
  const names = new Map<XsdType, Set<string>>();
  for (const operation of operations) {
    const type = operation.output?.body?.type;
    if (type !== undefined) {
      getOrMake(names, type, () => new Set()).add(distinctName(operation));
    }
  }
  return new Set([...names].flatMap(([type, { size }]) => (size === 1 ? [type] : [])));
}

/** Makes the types of all operations, only for their names. */
function* declaredBy(group: TypeGroup): Steps<Declared> {
  const { owner, services } = group;
  const names = new TypeNames(mappingsOf([group]), new Map(), namingsOf([group]));
  const mapped = services.flatMap((service) =>
    service.operations
      .filter(({ status }) => status !== 'disabled')
      .map((operation) => ({ operation, service })),
  );
  const operations = mapped.map(({ operation }) => operation);
  const types = serviceTypes(group, operations, null, new LeafTable(), names);
  for (const { operation, service } of mapped) {
    const mapping = service.mapping.get(operation.name) ?? null;
    operationField(operation, mapping, types, service.blocks, replyBlocks(operation, service));
    yield;
  }
  yield* types.output.complete();
  return { names: names.of(owner.name).taken, replies: types.input.replies };
}
