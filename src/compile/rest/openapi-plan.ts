import {
  type GraphQLArgument,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { collections } from '../../core/index.js';
import type { DescribedOperation } from '../../graphql/index.js';
import type { RestRoute } from './rest-routes.js';

/** An operation at one method of one path of the document. */
export interface PlannedOperation {
  readonly described: DescribedOperation;
  /** Null at the path of its name. */
  readonly route: RestRoute | null;
  /** In lower case. */
  readonly method: string;
  /** Unique in the document. */
  readonly id: string;
  /** The component of what its body holds; null without a body. */
  readonly bodyName: string | null;
}

/** The parameter that selects fields of the answer. */
export const FIELDS_PARAMETER = 'fields';

/** Parameters of one query. More are sent as a body. */
const PARAMETERS_MAX = 50;

/** The operations of a document, by path. */
export function planOpenApi(
  operations: ReadonlyMap<string, DescribedOperation>,
  routes: readonly RestRoute[],
): ReadonlyMap<string, readonly PlannedOperation[]> {
  const ids = new Set<string>();
  const paths = new Map<string, Map<string, Omit<PlannedOperation, 'bodyName'>>>();
  for (const [path, described] of operations) {
    const { get, post } = freshIds(described, ids);
    const methods = new Map<string, Omit<PlannedOperation, 'bodyName'>>();
    if (get !== null) {
      methods.set('get', { described, route: null, method: 'get', id: get });
    }
    methods.set('post', { described, route: null, method: 'post', id: post });
    paths.set(path, methods);
  }
  for (const route of routes) {
    const { described } = route;
    const { get, post } = freshIds(described, ids);
    const method = route.method.toLowerCase();
    const id = method === 'get' && get !== null ? get : post;
    const methods = paths.get(route.template) ?? new Map();
    methods.set(method, { described, route, method, id });
    paths.set(route.template, methods);
  }
  return withBodyNames(paths);
}

/** Bodies have names, which makers of clients take for their types. */
function withBodyNames(
  paths: ReadonlyMap<string, ReadonlyMap<string, Omit<PlannedOperation, 'bodyName'>>>,
): ReadonlyMap<string, readonly PlannedOperation[]> {
  const taken = new Set<string>();
  const named = (planned: Omit<PlannedOperation, 'bodyName'>): PlannedOperation => {
    if (planned.method === 'get' || planned.method === 'delete') {
      return { ...planned, bodyName: null };
    }
    const short = `${planned.id.replace(/^post_/, '')}.Arguments`;
    const bodyName = taken.has(short) ? `${planned.id}.Arguments` : short;
    taken.add(bodyName);
    return { ...planned, bodyName };
  };
  return new Map([...paths].map(([path, methods]) => [path, [...methods.values()].map(named)]));
}

/** The ids of an operation by GET and by POST; null for GET where it cannot be called so. */
function freshIds(
  described: DescribedOperation,
  ids: Set<string>,
): { readonly get: string | null; readonly post: string } {
  const { name } = described.field;
  if (!described.isRead || queriedArguments(described) === null) {
    return { get: null, post: freshId(name, ids) };
  }
  const post = freshId(`post_${name}`, ids);
  return { get: freshId(name, ids), post };
}

/** A query and a mutation may have one name. */
function freshId(name: string, ids: Set<string>): string {
  let id = name;
  for (let at = 2; ids.has(id); at++) {
    id = `${name}_${at}`;
  }
  ids.add(id);
  return id;
}

/** The arguments that a query can have; null where the operation needs a body. */
export const queriedArguments = collections.makeOncePer(findQueriedArguments);

function findQueriedArguments({ field }: DescribedOperation): readonly GraphQLArgument[] | null {
  const { args } = field;
  if (args.some(({ name }) => name === FIELDS_PARAMETER)) return null;
  const queried = args.filter(isQueried);
  const lacksRequired = args.some((each) => isRequiredArgument(each) && !isQueried(each));
  return lacksRequired || queried.length > PARAMETERS_MAX ? null : queried;
}

export const isRequiredArgument = ({ type, defaultValue }: GraphQLArgument): boolean =>
  isNonNullType(type) && defaultValue === undefined;

/** Whether a query can have an argument: as it is, or a flat object by its members in brackets. */
function isQueried({ type }: GraphQLArgument): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return true;
  return (
    !isListType(getNullableType(type)) &&
    Object.values(named.getFields()).every((member) => isLeafType(getNullableType(member.type)))
  );
}
