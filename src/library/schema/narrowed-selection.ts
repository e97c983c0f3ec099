import {
  type ArgumentNode,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

/** The field by which a copy of `graphql` knows the type of a value of an abstract one. */
const TYPE_NAME = '__typename';

const TYPE_NAME_FIELD: FieldNode = {
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: TYPE_NAME },
};

/**
 * Copies selections of a document of another schema that holds this one: with all that this schema
 * has, without fields and directives that it has not, and with the type where that is abstract.
 */
export class NarrowedSelections {
  /** The fragments that the selections use, in the order of their first use. */
  readonly fragments = new Map<string, FragmentDefinitionNode>();
  /** The variables that they use. */
  readonly variables = new Set<string>();
  readonly #schema: GraphQLSchema;
  readonly #defined: Readonly<Record<string, FragmentDefinitionNode>>;

  constructor(schema: GraphQLSchema, defined: Readonly<Record<string, FragmentDefinitionNode>>) {
    this.#schema = schema;
    this.#defined = defined;
  }

  /** The selections of a field of this type; undefined for one that has none. */
  of(type: GraphQLNamedType, set: SelectionSetNode | undefined): SelectionSetNode | undefined {
    if (set === undefined || !isCompositeType(type)) return undefined;
    const selections = this.#narrow(type, set);
    const isNamed = selections.length > 0 && !isAbstractType(type);
    return selectionSet(isNamed ? selections : [TYPE_NAME_FIELD, ...selections]);
  }

  /** Directives that this schema has. */
  directives(nodes: readonly DirectiveNode[] = []): readonly DirectiveNode[] {
    const known = nodes.filter(({ name }) => this.#schema.getDirective(name.value) != null);
    for (const { arguments: given } of known) {
      this.#noteArguments(given);
    }
    return known;
  }

  #narrow(type: GraphQLNamedType, { selections }: SelectionSetNode): readonly SelectionNode[] {
    return selections.flatMap((node): readonly SelectionNode[] => {
      if (node.kind === Kind.FIELD) return this.#field(type, node);
      const condition =
        node.kind === Kind.FRAGMENT_SPREAD
          ? this.#defined[node.name.value]?.typeCondition
          : node.typeCondition;
      const narrowed = condition == null ? type : this.#schema.getType(condition.name.value);
      if (narrowed === undefined) return [];
      const directives = this.directives(node.directives);
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        this.#define(node.name.value, narrowed);
        return [{ kind: node.kind, name: node.name, directives }];
      }
      const set = this.#whole(narrowed, node.selectionSet);
      const { kind, typeCondition } = node;
      return [
        {
          kind,
          directives,
          selectionSet: set,
          ...(typeCondition == null ? {} : { typeCondition }),
        },
      ];
    });
  }

  #field(type: GraphQLNamedType, node: FieldNode): readonly FieldNode[] {
    const { name, alias, arguments: given, directives, selectionSet: set } = node;
    const isType = name.value === TYPE_NAME;
    const field = 'getFields' in type && !isType ? type.getFields()[name.value] : undefined;
    if (field === undefined && !isType) return [];
    this.#noteArguments(given);
    const selected = field === undefined ? undefined : this.of(getNamedType(field.type), set);
    return [
      {
        kind: node.kind,
        name,
        arguments: given ?? [],
        directives: this.directives(directives),
        ...(alias === undefined ? {} : { alias }),
        ...(selected === undefined ? {} : { selectionSet: selected }),
      },
    ];
  }

  /** A fragment may hold no field of this schema, and has to hold one. */
  #whole(type: GraphQLNamedType, set: SelectionSetNode): SelectionSetNode {
    const selections = this.#narrow(type, set);
    return selectionSet(selections.length > 0 ? selections : [TYPE_NAME_FIELD]);
  }

  #define(name: string, type: GraphQLNamedType): void {
    const node = this.#defined[name];
    if (node === undefined || this.fragments.has(name)) return;
    const { kind, typeCondition } = node;
    const empty = { kind, name: node.name, typeCondition, selectionSet: selectionSet([]) };
    // The place is taken first: a fragment that names itself is refused with the document.
    this.fragments.set(name, empty);
    this.fragments.set(name, { ...empty, selectionSet: this.#whole(type, node.selectionSet) });
  }

  #noteArguments(given: readonly ArgumentNode[] = []): void {
    for (const { value } of given) {
      this.#noteVariables(value);
    }
  }

  /** Recursion is as deep as the document, whose depth its own server limits. */
  #noteVariables(value: ValueNode): void {
    if (value.kind === Kind.VARIABLE) {
      this.variables.add(value.name.value);
    } else if (value.kind === Kind.LIST) {
      for (const item of value.values) {
        this.#noteVariables(item);
      }
    } else if (value.kind === Kind.OBJECT) {
      for (const field of value.fields) {
        this.#noteVariables(field.value);
      }
    }
  }
}

const selectionSet = (selections: readonly SelectionNode[]): SelectionSetNode => ({
  kind: Kind.SELECTION_SET,
  selections,
});
