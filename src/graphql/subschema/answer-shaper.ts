import { type FieldNode, type GraphQLSchema, isAbstractType, isObjectType } from 'graphql';
import { isRecord } from '../../base/record.js';
import type { SubschemaLinks, SubschemaPlan } from '../fields/subschema.js';
import type { Link } from '../links/link.js';
import type { LinkSelect } from '../links/link-plan.js';
import { HIDDEN, hiddenKey } from '../links/link-slots.js';
import { collectFields, type Fragments, type Variables } from '../output/reply-plan.js';
import { hidden } from './batch-answer.js';

/**
 * Shapes the answer of a subschema to the selection of the client: fields for links only are removed, and at the position
 * of each link are the values for its call, as in answers of SOAP services. Takes time in proportion to the answer.
 */
export class AnswerShaper {
  readonly #fragments: Fragments;
  readonly #variables: Variables;
  readonly #select: LinkSelect;
  readonly #collected = new Map<readonly FieldNode[], Map<string, ReadonlyMap<string, FieldNode[]>>>();

  constructor(fragments: Fragments, variables: Variables, select: LinkSelect) {
    this.#fragments = fragments;
    this.#variables = variables;
    this.#select = select;
  }

  shape(value: unknown, links: SubschemaLinks, { nodes, field: { wrapped } }: SubschemaPlan): unknown {
    const root: Record<string, unknown> = { value };
    const stack: Step[] = [{ value, nodes, put: (shaped) => (root['value'] = shaped) }];
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      for (const inner of this.#stepsOf(step, links, wrapped)) stack.push(inner);
    }
    return root['value'];
  }

  #stepsOf({ value, nodes, put }: Step, links: SubschemaLinks, schema: GraphQLSchema): readonly Step[] {
    if (Array.isArray(value)) {
      const list: unknown[] = [...value];
      put(list);
      return list.map((item, index) => ({ value: item, nodes, put: (shaped) => (list[index] = shaped) }));
    }
    const typeName = isRecord(value) ? value[`${links.prefix}t`] : null;
    if (!isRecord(value) || typeof typeName !== 'string') return [];
    const object: Record<string, unknown> = Object.create(null);
    put(object);
    const steps: Step[] = [];
    for (const [key, inner] of this.#fieldsOf(nodes, typeName, schema)) {
      const [node] = inner;
      const selected = node === undefined ? null : this.#select(typeName, inner);
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

  #fieldsOf(nodes: readonly FieldNode[], typeName: string, schema: GraphQLSchema): ReadonlyMap<string, FieldNode[]> {
    const byType = this.#collected.get(nodes) ?? new Map<string, ReadonlyMap<string, FieldNode[]>>();
    this.#collected.set(nodes, byType);
    const known = byType.get(typeName);
    if (known !== undefined) return known;
    const type = schema.getType(typeName);
    const applies = (condition: string): boolean => {
      if (condition === typeName) return true;
      const abstract = schema.getType(condition);
      return isObjectType(type) && isAbstractType(abstract) && schema.isSubType(abstract, type);
    };
    const sets = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
    const fields = collectFields(sets, applies, this.#fragments, this.#variables);
    byType.set(typeName, fields);
    return fields;
  }
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
    values[hiddenKey(index)] = hidden(value[aliases[index] ?? ''], `${prefix}v`, feed.field.length - 1);
  }
  return values;
}
