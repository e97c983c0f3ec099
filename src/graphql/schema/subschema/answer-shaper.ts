import { type FieldNode, type GraphQLSchema, isAbstractType, isObjectType } from 'graphql';
import { getOrMake, isRecord } from '../../../core/index.js';
import { HIDDEN, hiddenKey } from '../feeds/hidden-slots.js';
import type { SubschemaBatch, SubschemaLinks, SubschemaPlan } from '../fields/subschema.js';
import type { Link } from '../links/link.js';
import type { LinkSelect } from '../links/link-plan.js';
import { collectFields, type PlanContext } from '../output/reply-plan.js';

/**
 * Shapes the answer of a subschema to the selection of the client: fields for links only are
 * removed, and at the position of each link are the values for its call, as in answers of SOAP
 * services. Takes time in proportion to the answer.
 */
export class AnswerShaper {
  readonly #context: ShaperContext;
  readonly #collected = new Map<
    readonly FieldNode[],
    Map<string, ReadonlyMap<string, FieldNode[]>>
  >();

  constructor(context: ShaperContext) {
    this.#context = context;
  }

  shape(
    value: unknown,
    links: SubschemaLinks,
    { nodes, field: { wrapped } }: SubschemaPlan,
  ): unknown {
    const root: Record<string, unknown> = { value };
    const stack: Step[] = [{ value, nodes, put: (shaped) => (root['value'] = shaped) }];
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      for (const inner of this.#stepsOf(step, links, wrapped)) {
        stack.push(inner);
      }
    }
    return root['value'];
  }

  #stepsOf(
    { value, nodes, put }: Step,
    links: SubschemaLinks,
    schema: GraphQLSchema,
  ): readonly Step[] {
    if (Array.isArray(value)) {
      const list: unknown[] = [...value];
      put(list);
      return list.map((item, index) => ({
        value: item,
        nodes,
        put: (shaped) => (list[index] = shaped),
      }));
    }
    const typeName = isRecord(value) ? value[`${links.prefix}t`] : null;
    if (!isRecord(value) || typeof typeName !== 'string') return [];
    const object: Record<string, unknown> = Object.create(null);
    put(object);
    const steps: Step[] = [];
    for (const [key, inner] of this.#fieldsOf(nodes, typeName, schema)) {
      const [node] = inner;
      const selected = node === undefined ? null : this.#context.select(typeName, inner);
      if (selected !== null && node !== undefined) {
        object[key] = readFeedValues(value, selected, links.feeds.get(node) ?? [], links.prefix);
        continue;
      }
      object[key] = value[key];
      if (node?.selectionSet !== undefined) {
        steps.push({ value: value[key], nodes: inner, put: (shaped) => (object[key] = shaped) });
      }
    }
    return steps;
  }

  #fieldsOf(
    nodes: readonly FieldNode[],
    typeName: string,
    schema: GraphQLSchema,
  ): ReadonlyMap<string, FieldNode[]> {
    const byType = getOrMake(
      this.#collected,
      nodes,
      () => new Map<string, ReadonlyMap<string, FieldNode[]>>(),
    );
    return getOrMake(byType, typeName, () => {
      const type = schema.getType(typeName);
      const applies = (condition: string): boolean => {
        if (condition === typeName) return true;
        const abstract = schema.getType(condition);
        return isObjectType(type) && isAbstractType(abstract) && schema.isSubType(abstract, type);
      };
      const sets = nodes.flatMap(({ selectionSet }) =>
        selectionSet === undefined ? [] : [selectionSet],
      );
      return collectFields(sets, applies, this.#context);
    });
  }
}

/** The selection of an answer, and the links in it. */
export interface ShaperContext extends PlanContext {
  readonly select: LinkSelect;
}

interface Step {
  readonly value: unknown;
  readonly nodes: readonly FieldNode[];
  readonly put: (shaped: unknown) => void;
}

interface Selected {
  readonly id: string;
  readonly link: Link;
}

function readFeedValues(
  value: Readonly<Record<string, unknown>>,
  { id, link }: Selected,
  aliases: readonly string[],
  prefix: string,
): unknown {
  const values: Record<string, unknown> = { [HIDDEN]: id };
  for (const [index, feed] of link.feeds.entries()) {
    values[hiddenKey(index)] = hidden(
      value[aliases[index] ?? ''],
      `${prefix}v`,
      feed.field.length - 1,
    );
  }
  return values;
}

/**
 * The answer of a list operation as links read it: each step to the items under `HIDDEN`, and in
 * each item its value under `HIDDEN` beside its key. `visible` makes the value of an item.
 */
export function batchAnswer(
  value: unknown,
  { items, key, keySteps }: SubschemaBatch,
  visible: Visible,
): unknown {
  const list = items.reduce(
    (inner: unknown, step) => (isRecord(inner) ? inner[step] : null),
    value,
  );
  if (!Array.isArray(list)) return null;
  const answers = list.map((item: unknown): unknown =>
    isRecord(item)
      ? { [HIDDEN]: visible(item), [hiddenKey(0)]: hidden(item[key], key, keySteps) }
      : null,
  );
  return items.reduce((inner: unknown) => ({ [HIDDEN]: inner }), answers);
}

type Visible = (item: Readonly<Record<string, unknown>>) => unknown;

/** The path of an error in a list operation's answer, as `batchAnswer` has it. */
export function batchPath(
  path: readonly (string | number)[],
  batch: SubschemaBatch | null,
): readonly (string | number)[] {
  if (batch === null) return path;
  const { items } = batch;
  const above = items.map(() => HIDDEN);
  const index = path[items.length];
  if (typeof index !== 'number') return above;
  return [...above, index, HIDDEN, ...path.slice(items.length + 1)];
}

/** Follows `key` from a value, `steps` times, and nests the result under `HIDDEN` as deep. */
function hidden(held: unknown, key: string, steps: number): unknown {
  let value = held;
  for (let step = 0; step < steps; step++) {
    value = isRecord(value) ? value[key] : null;
  }
  for (let step = 0; step < steps; step++) {
    value = { [HIDDEN]: value ?? null };
  }
  return value ?? null;
}

/** Whether a value, or an item of a list, was sent and is missing in the result. */
export function isLost(sent: unknown, value: unknown): boolean {
  if (sent === null || sent === undefined || sent instanceof Error) return false;
  if (!Array.isArray(sent) || !Array.isArray(value)) return value === null;
  return sent.some((item, index) => isLost(item, value[index]));
}
