import {
  type GraphQLArgument,
  type GraphQLArgumentConfig,
  type GraphQLDirective,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  type GraphQLInputField,
  type GraphQLInputFieldConfig,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  type GraphQLUnionType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedDirective,
} from 'graphql';
import { invariant, isRecord } from '../../core/index.js';
import type { PeerGraphql } from './peer-graphql.js';
import { builtInScalars, peerScalar } from './peer-scalars.js';

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/**
 * Copies a schema into another copy of `graphql`. `resolveRoot` answers the fields of Query and
 * Mutation whole; all others are read from that answer, by their response keys. Subscription is
 * left out.
 */
export function peerSchema(
  graphql: PeerGraphql,
  own: GraphQLSchema,
  resolveRoot: Resolver,
): GraphQLSchema {
  const types = new PeerTypes(graphql, own, resolveRoot);
  const query = own.getQueryType() ?? null;
  const mutation = own.getMutationType() ?? null;
  const subscription = own.getSubscriptionType() ?? null;
  return new graphql.GraphQLSchema({
    description: own.description,
    query: query === null ? null : types.object(query),
    mutation: mutation === null ? null : types.object(mutation),
    types: Object.values(own.getTypeMap())
      .filter((type) => !isIntrospectionType(type) && type !== subscription)
      .map((type) => types.named(type)),
    directives: [
      ...graphql.specifiedDirectives,
      ...own
        .getDirectives()
        .filter((directive) => !isSpecifiedDirective(directive))
        .map((directive) => types.directive(directive)),
    ],
    // The schema of the gateway has been validated.
    assumeValid: true,
  });
}

/** The types of one copy, each made once. */
class PeerTypes {
  readonly #graphql: PeerGraphql;
  readonly #roots: ReadonlySet<GraphQLNamedType>;
  readonly #resolveRoot: Resolver;
  readonly #made = new Map<string, GraphQLNamedType>();

  constructor(graphql: PeerGraphql, own: GraphQLSchema, resolveRoot: Resolver) {
    this.#graphql = graphql;
    this.#resolveRoot = resolveRoot;
    this.#roots = new Set(
      [own.getQueryType(), own.getMutationType()].flatMap((root) => root ?? []),
    );
    for (const [name, type] of builtInScalars(graphql)) {
      this.#made.set(name, type);
    }
  }

  named(own: GraphQLNamedType): GraphQLNamedType {
    const known = this.#made.get(own.name);
    if (known !== undefined) return known;
    const made = this.#make(own);
    this.#made.set(own.name, made);
    return made;
  }

  object(own: GraphQLObjectType): GraphQLObjectType {
    const made = this.named(own);
    invariant(this.#graphql.isObjectType(made), 'an object type stays one');
    return made;
  }

  directive(own: GraphQLDirective): GraphQLDirective {
    const { name, description, locations, isRepeatable } = own;
    return new this.#graphql.GraphQLDirective({
      name,
      description,
      locations,
      isRepeatable,
      args: this.#arguments(own.args),
    });
  }

  #make(own: GraphQLNamedType): GraphQLNamedType {
    if (isScalarType(own)) return peerScalar(this.#graphql, own);
    if (isEnumType(own)) return this.#enum(own);
    if (isInputObjectType(own)) return this.#input(own);
    if (isObjectType(own)) return this.#object(own);
    return isInterfaceType(own) ? this.#interface(own) : this.#union(own);
  }

  #object(own: GraphQLObjectType): GraphQLObjectType {
    const { name, description } = own;
    const resolve = this.#roots.has(own) ? this.#resolveRoot : readByKey;
    return new this.#graphql.GraphQLObjectType({
      name,
      description,
      interfaces: () => this.#interfaces(own),
      fields: () => this.#fields(own, resolve),
    });
  }

  #interface(own: GraphQLInterfaceType): GraphQLInterfaceType {
    const { name, description } = own;
    return new this.#graphql.GraphQLInterfaceType({
      name,
      description,
      interfaces: () => this.#interfaces(own),
      fields: () => this.#fields(own),
    });
  }

  #union(own: GraphQLUnionType): GraphQLUnionType {
    const { name, description } = own;
    return new this.#graphql.GraphQLUnionType({
      name,
      description,
      types: () => own.getTypes().map((type) => this.object(type)),
    });
  }

  /** The copy of an enumeration; the values of its names are the names, as a caller writes them. */
  #enum(own: GraphQLEnumType): GraphQLEnumType {
    const { name, description } = own;
    const values = own
      .getValues()
      .map((value) => [
        value.name,
        { description: value.description, deprecationReason: value.deprecationReason },
      ]);
    return new this.#graphql.GraphQLEnumType({
      name,
      description,
      values: Object.fromEntries(values),
    });
  }

  #input(own: GraphQLInputObjectType): GraphQLInputObjectType {
    const { name, description, isOneOf } = own;
    return new this.#graphql.GraphQLInputObjectType({
      name,
      description,
      isOneOf,
      fields: () =>
        Object.fromEntries(
          Object.values(own.getFields()).map((field) => [field.name, this.#inputValue(field)]),
        ),
    });
  }

  #interfaces(own: GraphQLObjectType | GraphQLInterfaceType): GraphQLInterfaceType[] {
    return own.getInterfaces().map((each) => {
      const made = this.named(each);
      invariant(this.#graphql.isInterfaceType(made), 'an interface type stays one');
      return made;
    });
  }

  #fields(
    own: GraphQLObjectType | GraphQLInterfaceType,
    resolve: Resolver | null = null,
  ): Record<string, GraphQLFieldConfig<unknown, unknown>> {
    return Object.fromEntries(
      Object.values(own.getFields()).map((field) => [field.name, this.#field(field, resolve)]),
    );
  }

  #field(
    { type, args, description, deprecationReason }: GraphQLField<unknown, unknown>,
    resolve: Resolver | null,
  ): GraphQLFieldConfig<unknown, unknown> {
    return {
      type: this.#output(type),
      args: this.#arguments(args),
      description,
      deprecationReason,
      ...(resolve === null ? {} : { resolve }),
    };
  }

  #arguments(args: readonly GraphQLArgument[]): Record<string, GraphQLArgumentConfig> {
    return Object.fromEntries(args.map((argument) => [argument.name, this.#inputValue(argument)]));
  }

  #inputValue({
    type,
    description,
    deprecationReason,
    defaultValue,
  }: GraphQLArgument | GraphQLInputField): GraphQLArgumentConfig & GraphQLInputFieldConfig {
    const made = this.#wrapped(type);
    invariant(this.#graphql.isInputType(made), 'an input type stays one');
    return { type: made, description, deprecationReason, defaultValue };
  }

  #output(own: GraphQLOutputType): GraphQLOutputType {
    const made = this.#wrapped(own);
    invariant(this.#graphql.isOutputType(made), 'an output type stays one');
    return made;
  }

  #wrapped(own: GraphQLInputType | GraphQLOutputType | GraphQLType): GraphQLType {
    const { GraphQLList, GraphQLNonNull } = this.#graphql;
    if (isListType(own)) return new GraphQLList(this.#wrapped(own.ofType));
    if (isNonNullType(own)) {
      const made = this.#wrapped(own.ofType);
      invariant(this.#graphql.isNullableType(made), 'a nullable type stays one');
      return new GraphQLNonNull(made);
    }
    return this.named(own);
  }
}

/** Reads a field from the answer of its root field, which has response keys. */
const readByKey: Resolver = (source, _arguments, _context, { path }) =>
  isRecord(source) ? source[path.key] : undefined;
