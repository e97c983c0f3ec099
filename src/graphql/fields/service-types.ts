import { childrenOfBody, type Operation, type XsdType } from '../../wsdl/model.js';
import { InputTypes } from '../input/input.js';
import { FaultTypes } from '../output/faults.js';
import { OutputTypes } from '../output/output.js';
import type { DeclaredNames } from '../types/declared-names.js';
import { LeafTable } from '../types/leaf.js';
import type { TypeMappings } from '../types/mapping.js';
import { MemberTable } from '../types/members.js';
import { reach } from '../types/reach.js';
import { TypeNames } from '../types/type-names.js';
import { type GraphqlService, offeredBy } from './exposure.js';
import { operationField, type ServiceTypes } from './operation-field.js';

/** What the fields of these operations are made with. `replies` are the types of all replies; null: of these. */
export function serviceTypes(
  service: GraphqlService,
  operations: readonly Operation[],
  replies: ReadonlySet<XsdType> | null,
  leaves: LeafTable,
  names: TypeNames,
): ServiceTypes {
  const members = new MemberTable(service.name, service.naming, service.choices ?? 'fields', names);
  const mapping = names.mappingOf(service.name);
  const roots = operations.flatMap((operation): XsdType[] => {
    const answer = operation.output === null ? [] : childrenOfBody(operation.output);
    for (const body of [...childrenOfBody(operation.input), ...answer]) mapping.meet(body);
    return [...answer, ...operation.faults.map(({ element }) => element)].map(({ type }) => type);
  });
  const reached = reach(roots, members);
  const output = new OutputTypes(service.name, members, leaves, names, reached);
  return {
    service: service.name,
    naming: service.naming,
    members,
    leaves,
    names,
    input: new InputTypes(service.name, members, leaves, names, replies ?? reached.types, service.naming),
    output,
    faults: new FaultTypes(service.name, members, leaves, names, output),
    answers: [],
  };
}

/** What the types of a service are called when it offers all of its operations. */
export interface Declared {
  readonly names: DeclaredNames;
  /** The types of all replies. */
  readonly replies: ReadonlySet<XsdType>;
}

/** What is declared, of each service that leaves out operations. */
export function declaredNames(services: readonly GraphqlService[]): ReadonlyMap<string, Declared> {
  const partly = services.filter((service) => {
    const offered = offeredBy(service);
    return offered.size > 0 && service.operations.some(({ name }) => !offered.has(name));
  });
  return new Map(partly.map((service) => [service.name, declaredBy(service)]));
}

export const mappingsOf = (services: readonly GraphqlService[]): ReadonlyMap<string, TypeMappings> =>
  new Map(services.map(({ name, types = new Map() }) => [name, types]));

/** Makes the types of all operations, only to see what they are called. */
function declaredBy(service: GraphqlService): Declared {
  const names = new TypeNames(mappingsOf([service]));
  const operations = service.operations.filter(({ status }) => status !== 'disabled');
  const types = serviceTypes(service, operations, null, new LeafTable(names), names);
  for (const operation of operations) operationField(operation, service.mapping.get(operation.name) ?? null, types);
  types.output.complete();
  return { names: names.givenTo(service.name), replies: types.input.replies };
}
