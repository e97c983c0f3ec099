import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { type AskedField, coercedVariables } from './asked-field.js';
import { NarrowedSelections } from './narrowed-selection.js';

/** What is run for root fields: a document of their own, and its variables. */
export interface PushedOperation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A document, and what its variables get. */
interface PushedDocument {
  readonly query: string;
  /** Variables of the operation that it has as they are. */
  readonly kept: readonly string[];
  /** The variables that hold the arguments of root fields. */
  readonly held: readonly HeldArgument[];
}

/** The variable of one argument of the root field at an index. */
interface HeldArgument {
  readonly variable: string;
  readonly index: number;
  readonly argument: string;
}

/** Documents of one operation that are kept: skipped fields make others. */
const DOCUMENTS_MAX = 64;

/**
 * Writes documents for root fields of one operation: whole selections, and arguments as variables,
 * so that one document serves all its requests. It is kept as long as the operation is.
 */
export class PushedDocuments {
  readonly #schema: GraphQLSchema;
  readonly #known = new WeakMap<OperationDefinitionNode, Map<string, PushedDocument>>();
  readonly #numbers = new WeakMap<FieldNode, number>();
  #last = 0;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** `fields` are of one operation, and are all different in their keys. */
  of(fields: readonly AskedField[]): PushedOperation {
    const [first] = fields;
    if (first === undefined) throw new Error('a document without fields');
    const { query, kept, held } = this.#document(fields, first.info.operation);
    const values = coercedVariables(first.info);
    return {
      query,
      variables: Object.fromEntries([
        ...kept.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]),
        ...held.map(({ variable, index, argument }) => [
          variable,
          fields[index]?.arguments[argument],
        ]),
      ]),
    };
  }

  #document(fields: readonly AskedField[], operation: OperationDefinitionNode): PushedDocument {
    const known = this.#known.get(operation) ?? new Map<string, PushedDocument>();
    this.#known.set(operation, known);
    const key = JSON.stringify(
      fields.map((field) => [
        field.key,
        Object.keys(field.arguments),
        field.info.fieldNodes.map((node) => this.#numberOf(node)),
      ]),
    );
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= DOCUMENTS_MAX) {
      known.clear();
    }
    const made = this.#write(fields, operation);
    known.set(key, made);
    return made;
  }

  #numberOf(node: FieldNode): number {
    const known = this.#numbers.get(node);
    if (known !== undefined) return known;
    this.#numbers.set(node, ++this.#last);
    return this.#last;
  }

  #write(fields: readonly AskedField[], operation: OperationDefinitionNode): PushedDocument {
    const defined = fields[0]?.info.fragments ?? {};
    const narrowed = new NarrowedSelections(this.#schema, defined);
    const own = new Set((operation.variableDefinitions ?? []).map(nameOfVariable));
    const held: HeldArgument[] = [];
    const definitions: VariableDefinitionNode[] = [];
    const selections = fields.flatMap((field, index): readonly SelectionNode[] => {
      const definition = this.#definitionOf(field);
      const passed = definition.args.filter(({ name }) => Object.hasOwn(field.arguments, name));
      const given = passed.map(({ name, type }): ArgumentNode => {
        const variable = freeName(`${name}_${index}`, own);
        held.push({ variable, index, argument: name });
        definitions.push(variableDefinition(variable, String(type)));
        return {
          kind: Kind.ARGUMENT,
          name: nameNode(name),
          value: { kind: Kind.VARIABLE, name: nameNode(variable) },
        };
      });
      return field.info.fieldNodes.map((node) =>
        fieldNode(field, node, given, definition, narrowed),
      );
    });
    const kept = (operation.variableDefinitions ?? []).filter((each) =>
      narrowed.variables.has(nameOfVariable(each)),
    );
    const query = print({
      kind: Kind.DOCUMENT,
      definitions: [
        {
          kind: Kind.OPERATION_DEFINITION,
          operation: operation.operation,
          ...(operation.name === undefined ? {} : { name: operation.name }),
          variableDefinitions: [...kept.map(withoutDirectives), ...definitions],
          selectionSet: { kind: Kind.SELECTION_SET, selections },
        },
        ...narrowed.fragments.values(),
      ],
    });
    return { query, kept: kept.map(nameOfVariable), held };
  }

  #definitionOf({ info }: AskedField): GraphQLField<unknown, unknown> {
    const root = this.#schema.getRootType(info.operation.operation);
    const found = root?.getFields()[info.fieldName];
    if (found === undefined) throw new Error('a root field that the schema has not');
    return found;
  }
}

function fieldNode(
  { key, info }: AskedField,
  node: FieldNode,
  given: readonly ArgumentNode[],
  { type }: GraphQLField<unknown, unknown>,
  narrowed: NarrowedSelections,
): FieldNode {
  const selectionSet = narrowed.of(getNamedType(type), node.selectionSet);
  // The field was not skipped.
  const directives = (node.directives ?? []).filter(
    ({ name: { value } }) => value !== 'skip' && value !== 'include',
  );
  return {
    kind: Kind.FIELD,
    alias: nameNode(key),
    name: nameNode(info.fieldName),
    arguments: given,
    directives: narrowed.directives(directives),
    ...(selectionSet === undefined ? {} : { selectionSet }),
  };
}

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });

const nameOfVariable = ({ variable }: VariableDefinitionNode): string => variable.name.value;

/** Directives of variables are for the server that got them. */
const withoutDirectives = ({
  kind,
  variable,
  type,
  defaultValue,
}: VariableDefinitionNode): VariableDefinitionNode => ({
  kind,
  variable,
  type,
  ...(defaultValue === undefined ? {} : { defaultValue }),
});

/** A definition of a variable. Its type is printed as it stands. */
const variableDefinition = (name: string, type: string): VariableDefinitionNode => ({
  kind: Kind.VARIABLE_DEFINITION,
  variable: { kind: Kind.VARIABLE, name: nameNode(name) },
  type: { kind: Kind.NAMED_TYPE, name: nameNode(type) },
});

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  while (taken.has(name)) {
    name = `${name}_`;
  }
  taken.add(name);
  return name;
}
