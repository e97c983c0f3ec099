import {
  type GraphQLDirective,
  type GraphQLError,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  GraphQLSchema,
  isInterfaceType,
  specifiedDirectives,
  validateSchema,
} from 'graphql';
import { getOrMake, invariant, type Steps } from '../../core/index.js';
import { isFieldOwner } from './types/field-owner.js';
import { typeReferences } from './types/references.js';

export interface RootTypes {
  readonly query: GraphQLObjectType;
  readonly mutation: GraphQLObjectType | null;
  readonly subscription: GraphQLObjectType | null;
}

interface Implementations {
  readonly objects: GraphQLObjectType[];
  readonly interfaces: GraphQLInterfaceType[];
}
/** What graphql-js has as fields of any name without a prototype. */
type TypeMap = ReturnType<GraphQLSchema['getTypeMap']>;

/**
 * Makes a schema of these types and all that they refer to, in the order of graphql-js, whose
 * constructor does not pause.
 */
export function* assembleSchema(
  roots: RootTypes,
  types: readonly GraphQLNamedType[],
  directives: readonly GraphQLDirective[] = [],
): Steps<GraphQLSchema> {
  const found = new Set(types);
  for (const type of types) {
    found.delete(type);
    yield* collect(type, found);
    yield;
  }
  for (const type of Object.values(new GraphQLSchema({}).getTypeMap())) {
    found.add(type);
  }
  const typeMap: TypeMap = Object.create(null);
  const implementations = new Map<string, Implementations>();
  for (const type of found) {
    invariant(typeMap[type.name] === undefined, 'the names of types are unique');
    typeMap[type.name] = type;
    if (!isFieldOwner(type)) continue;
    for (const { name } of type.getInterfaces()) {
      const known = getOrMake(implementations, name, () => ({ objects: [], interfaces: [] }));
      if (isInterfaceType(type)) {
        known.interfaces.push(type);
      } else {
        known.objects.push(type);
      }
    }
    yield;
  }
  return new AssembledSchema(roots, typeMap, implementations, directives);
}

/** Types that are checked together. */
const PART_TYPES = 100;

/**
 * Validates a schema in parts, with the result of `validateSchema`, which is kept with the schema.
 */
export function* validating(schema: GraphQLSchema): Steps<readonly GraphQLError[]> {
  invariant(schema instanceof AssembledSchema, 'a schema that was assembled');
  const types = Object.values(schema.getTypeMap());
  const errors = new Map<string, GraphQLError>();
  for (let at = 0; at < types.length; at += PART_TYPES) {
    const part: TypeMap = Object.create(null);
    for (const type of types.slice(at, at + PART_TYPES)) {
      part[type.name] = type;
    }
    // Errors in the root types and in directives are found with each part.
    for (const error of validateSchema(schema.withTypes(part))) {
      errors.set(error.message, error);
    }
    yield;
  }
  schema.__validationErrors = [...errors.values()];
  return schema.__validationErrors;
}

/**
 * Keeps its fields ordinary ones, so that introspection can derive an object from it
 * (`Object.create`).
 */
class AssembledSchema extends GraphQLSchema {
  private readonly roots: RootTypes;
  private readonly types: TypeMap;
  private readonly listed: TypeMap;
  private readonly implementations: ReadonlyMap<string, Implementations>;
  private readonly ownDirectives: readonly GraphQLDirective[];

  /** `directives`: besides those of the specification. */
  constructor(
    roots: RootTypes,
    types: TypeMap,
    implementations: ReadonlyMap<string, Implementations>,
    directives: readonly GraphQLDirective[],
    listed: TypeMap = types,
  ) {
    super({ directives: [...specifiedDirectives, ...directives] });
    this.ownDirectives = directives;
    this.roots = roots;
    this.types = types;
    this.listed = listed;
    this.implementations = implementations;
  }

  /** Copies the schema; the copy lists these types alone. */
  withTypes(types: TypeMap): AssembledSchema {
    return new AssembledSchema(
      this.roots,
      this.types,
      this.implementations,
      this.ownDirectives,
      types,
    );
  }

  override getQueryType(): GraphQLObjectType {
    return this.roots.query;
  }

  override getMutationType(): GraphQLObjectType | null {
    return this.roots.mutation;
  }

  override getSubscriptionType(): GraphQLObjectType | null {
    return this.roots.subscription;
  }

  override getTypeMap(): TypeMap {
    return this.listed;
  }

  override getType(name: string): GraphQLNamedType | undefined {
    return this.types[name];
  }

  override getImplementations({ name }: GraphQLInterfaceType): Implementations {
    return this.implementations.get(name) ?? { objects: [], interfaces: [] };
  }
}

/** References in one step. */
const STEP_REFERENCES = 1000;

/**
 * Adds a type and what it refers to, depth first. No recursion: types may lead to others for ever.
 */
function* collect(root: GraphQLNamedType, found: Set<GraphQLNamedType>): Steps<void> {
  found.add(root);
  const stack = [typeReferences(root)];
  let count = 0;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { done, value: type } = top.next();
    if (done === true) {
      stack.pop();
    } else if (!found.has(type)) {
      found.add(type);
      stack.push(typeReferences(type));
    }
    if (++count % STEP_REFERENCES === 0) {
      yield;
    }
  }
}
