/** Whether an object differs in no simple value that both have. */
const agrees = (object, representation) =>
  Object.entries(representation).every(
    ([name, value]) =>
      name === '__typename' ||
      typeof value === 'object' ||
      object[name] === undefined ||
      object[name] === value,
  );

/** The type definitions of an SDL; extensions of types of other subgraphs are definitions here. */
function definitionsOf({ Kind, parse }, sdl) {
  const { definitions } = parse(sdl);
  const own = new Set(
    definitions.filter(({ kind }) => kind.endsWith('Definition')).map(({ name }) => name?.value),
  );
  return definitions
    .filter(({ kind }) => kind !== Kind.SCHEMA_EXTENSION)
    .map((definition) =>
      definition.kind === Kind.OBJECT_TYPE_EXTENSION && !own.has(definition.name.value)
        ? { ...definition, kind: Kind.OBJECT_TYPE_DEFINITION }
        : definition,
    );
}

/**
 * A subgraph with fixed values, by root field and by type, which executes what routers ask it. The
 * entities of a type in a representation have its key, and the values of its `@requires`.
 */
export function localSubgraph(graphql, { sdl, roots = {}, entities = {} }) {
  const { buildASTSchema, execute, Kind, parse } = graphql;
  const definitions = definitionsOf(graphql, sdl);
  const keyed = definitions
    .filter(({ kind, directives = [] }) =>
      kind === Kind.OBJECT_TYPE_DEFINITION && directives.some(({ name }) => name.value === 'key'))
    .map(({ name }) => name.value);
  const query = definitions.some(({ name }) => name?.value === 'Query')
    ? 'extend type Query'
    : 'type Query';
  const more = keyed.length === 0
    ? `${query} { _none: Boolean }`
    : `union _Entity = ${keyed.join(' | ')} scalar _Any
       ${query} { _entities(representations: [_Any!]!): [_Entity]! }`;
  const schema = buildASTSchema(
    { kind: Kind.DOCUMENT, definitions: [...definitions, ...parse(more).definitions] },
    { assumeValid: true, assumeValidSDL: true },
  );
  const rootValue = {
    ...roots,
    _entities: ({ representations }) =>
      representations.map((representation) => {
        const { __typename } = representation;
        const object = entities[__typename]?.find((each) => agrees(each, representation));
        return object === undefined ? null : { ...representation, ...object };
      }),
  };
  return ({ query, variables }) =>
    execute({ schema, document: parse(query), rootValue, variableValues: variables });
}
