import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  getNamedType,
  getNullableType,
  isListType,
} from 'graphql';
import { scalars } from '../../../codec/index.js';
import type { Operation } from '../../../wsdl/index.js';
import {
  bothRules,
  describedWith,
  type FieldRule,
  ruleExtensions,
  ruleOf,
  ruleWithin,
} from '../rights/field-rule.js';
import { costExtensions, FieldCost, fieldCostOf } from '../types/cost-rules.js';
import { fieldOfOwner } from '../types/field-owner.js';
import type { PagesMapping, Paging, ReplyPath } from '../types/paging.js';
import type { ReplyRoot, ReplyShape } from '../types/shape.js';
import type { ServiceNames } from '../types/type-names.js';
import { isLostReplyPath, replyPath } from './reply-path.js';

type Config = GraphQLFieldConfig<unknown, unknown> & { readonly type: GraphQLOutputType };

/** A field, and what its operation answers. */
interface MadeField {
  readonly config: Config;
  readonly reply: ReplyShape;
}

interface PagedField {
  readonly config: Config;
  readonly paging: Paging;
}

interface Types {
  readonly names: ServiceNames;
  /** Types of answers that were made here. */
  readonly answers: GraphQLNamedType[];
}

/** Makes the connections of one schema, which share the type of `pageInfo`. */
export class Connections {
  /** The types of the replies that connections stand for. */
  readonly replaced: GraphQLNamedType[] = [];
  #pageInfo: GraphQLObjectType | null = null;

  /** The field as a connection; null, and findings, where its reply or its arguments do not fit. */
  field(
    operation: Operation,
    mapping: PagesMapping,
    made: MadeField,
    types: Types,
  ): PagedField | null {
    const { reply, config } = made;
    const { names } = types;
    let isRefused = false;
    const refuse = (key: readonly string[], what: string, remedy: string): null => {
      isRefused = true;
      return names.refuse([...mapping.path, ...key], what, remedy);
    };
    const paths = pathsOf(reply.root, mapping, types);
    for (const name of ['first', 'after']) {
      if (!Object.hasOwn(config.args ?? {}, name)) continue;
      const remedy = `Give it another name: \`arguments: { ${name}: { name: other } }\`.`;
      refuse([], `The operation has an argument \`${name}\` of its own.`, remedy);
    }
    if (reply.faults?.as === 'data' || (operation.output?.attachments ?? []).length > 0) {
      refuse(
        [],
        'The answer is more than its reply: it cannot be handed out in pages.',
        'Remove `pages`.',
      );
    }
    if (paths === null || isRefused) return null;
    const item = itemType(config.type, paths.items.steps);
    if (item === null) {
      return refuse(
        ['items'],
        'The rows have no type of their own.',
        'Name a repeated element of one name.',
      );
    }
    const pageInfo = this.#pageInfo ?? makePageInfo(types);
    this.#pageInfo = pageInfo;
    const { connection, edge } = makeTypes(operation, item, pageInfo, types);
    this.replaced.push(getNamedType(config.type));
    const rule = bothRules(ruleOf(config), paths.rules);
    const within = ruleWithin(config);
    const paging = {
      ...paths.paging,
      isComparable: operation.use !== 'encoded' && reply.hasReferences !== true,
      types: { connection: connection.name, edge: edge.name, pageInfo: pageInfo.name },
    };
    return { config: connectionConfig(config, connection, mapping, { rule, within }), paging };
  }
}

interface ResolvedPaths {
  readonly items: ReplyPath;
  readonly rules: FieldRule | null;
  readonly paging: Omit<Paging, 'isComparable' | 'types'>;
}

/**
 * The paths of a mapping in a reply; null, and findings, for a wrong one. All of them are looked
 * at.
 */
function pathsOf(root: ReplyRoot, mapping: PagesMapping, { names }: Types): ResolvedPaths | null {
  let rules: FieldRule | null = null;
  const follow = (
    path: string,
    key: readonly string[],
    kind: 'rows' | 'number' | 'value',
  ): ReplyPath | null => {
    const at = [...mapping.path, ...key];
    const found = replyPath(root, path);
    if (isLostReplyPath(found)) {
      const { what, known, written } = found;
      return names.refuse(at, what, null, known, written);
    }
    const wrong = found.isMasked ? MASKED : wrongEnd(found, kind);
    if (wrong !== null) {
      return names.refuse(at, `\`${path}\` ${wrong}`, 'Name another element of the reply.');
    }
    rules = bothRules(rules, found.rules);
    return { steps: found.steps, field: found.field };
  };
  const { kind, first, size, total, next } = mapping;
  const items = follow(mapping.items, ['items'], 'rows');
  const totalPath = total === null ? null : follow(total.path, ['total', total.of], 'number');
  const nextPath = next === null ? null : follow(next, ['cursor', 'next'], 'value');
  if (
    items === null ||
    (total !== null && totalPath === null) ||
    (next !== null && nextPath === null)
  ) {
    return null;
  }
  const told = total === null || totalPath === null ? null : { ...totalPath, of: total.of };
  return { items, rules, paging: { kind, first, size, items, total: told, next: nextPath } };
}

const MASKED = 'is masked for some clients: pages need it for all.';

function wrongEnd(
  { field: { list, value } }: ReplyPath,
  kind: 'rows' | 'number' | 'value',
): string | null {
  if (kind === 'rows') {
    if (!list) return 'is not repeated.';
    return value.kind === 'choice' || value.kind === 'list'
      ? 'is no list of rows of one kind.'
      : null;
  }
  if (list || value.kind !== 'scalar') return 'is no single value.';
  if (kind === 'value') return null;
  return scalars.isWholeScalar(value.scalar) ? null : 'is no whole number.';
}

/** The type of the items at a path of fields. */
function itemType(from: GraphQLOutputType, steps: readonly string[]): GraphQLOutputType | null {
  let type = getNullableType(from);
  for (const step of steps) {
    const field = fieldOfOwner(type, step);
    if (field === undefined) return null;
    type = getNullableType(field.type);
  }
  return isListType(type) ? getNullableType(type.ofType) : null;
}

const FREE = costExtensions(0);
/** What a field shows is shown by another one already: it is selected only by name. */
const AGAIN = { isRepetition: true } as const;

function makePageInfo({ names, answers }: Types): GraphQLObjectType {
  const type = new GraphQLObjectType({
    name: names.take('PageInfo'),
    description: 'Where the rows of a connection end.',
    extensions: FREE,
    fields: {
      hasNextPage: {
        type: new GraphQLNonNull(GraphQLBoolean),
        description: 'Whether more rows follow.',
      },
      endCursor: { type: GraphQLString, description: '`after` of the rows that follow.' },
    },
  });
  answers.push(type);
  return type;
}

function makeTypes(
  operation: Operation,
  item: GraphQLOutputType,
  pageInfo: GraphQLObjectType,
  { names, answers }: Types,
): Readonly<Record<'connection' | 'edge', GraphQLObjectType>> {
  const edge = new GraphQLObjectType({
    name: names.takeFor(operation, 'Edge'),
    description: `A row of ${operation.name}, and its place.`,
    extensions: FREE,
    fields: {
      node: { type: item, description: 'The row.' },
      cursor: {
        type: new GraphQLNonNull(GraphQLString),
        description: '`after` of the rows behind it.',
      },
    },
  });
  const connection = new GraphQLObjectType({
    name: names.takeFor(operation, 'Connection'),
    description: `Rows of ${operation.name}, of as many pages as it takes.`,
    extensions: FREE,
    fields: {
      nodes: { type: new GraphQLList(item), description: 'The rows.' },
      edges: {
        type: new GraphQLList(edge),
        description: 'The rows with their places.',
        extensions: AGAIN,
      },
      pageInfo: { type: new GraphQLNonNull(pageInfo) },
      totalCount: { type: GraphQLInt, description: 'The number of all rows, where it is known.' },
    },
  });
  answers.push(connection, edge);
  return { connection, edge };
}

/** The field with the arguments of a connection. */
function connectionConfig(
  config: Config,
  connection: GraphQLObjectType,
  { size }: PagesMapping,
  { rule, within }: Readonly<Record<'rule' | 'within', FieldRule | null>>,
): Config {
  const listSize = {
    assumedSize: size,
    slicingArguments: ['first'],
    sizedFields: ['nodes', 'edges'],
    requireOneSlicingArgument: false,
  };
  const cost = new FieldCost({ listSize }).or(
    fieldCostOf({ extensions: config.extensions ?? null }),
  );
  const first = {
    type: GraphQLInt,
    description: `How many rows; by default one page, of ${size}.`,
  };
  const after = { type: GraphQLString, description: 'The cursor that they stand behind.' };
  return {
    ...config,
    type: connection,
    description:
      rule === ruleOf(config)
        ? (config.description ?? null)
        : describedWith(config.description, rule),
    args: { ...config.args, first, after },
    extensions: { ...config.extensions, ...costExtensions(cost), ...ruleExtensions(rule, within) },
  };
}
