import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
  visit,
} from 'graphql';
import { type CancelSignal, collections, getOrMake, MIB } from '../../core/index.js';
import type { RawVariables } from '../schema/output/reply-plan.js';
import { WrittenJson } from './written-json.js';

/** The answer to one field of introspection. */
interface IntrospectionAnswer {
  readonly value: WrittenJson | null;
  readonly errors: readonly GraphQLError[];
}

/** The answers to introspection of one schema. */
export const introspectionAnswers = collections.makeOncePer(
  (schema: GraphQLSchema) => new IntrospectionAnswers(schema),
);

/** Bytes of cached answers: that of a schema with 1,500 types takes 26 MB. */
const REMEMBERED_BYTES = 48 * MIB;

/**
 * Executes introspection, which of a large schema takes a second and has megabytes. So each answer
 * is made once, one after the other, in portions between which other work runs; the text is cached.
 */
class IntrospectionAnswers {
  readonly #schema: GraphQLSchema;
  readonly #answers = new collections.SharedMaking<IntrospectionAnswer>(
    new collections.BoundedCache({
      entries: 100,
      size: REMEMBERED_BYTES,
      sizeOf: ({ value }, key) => 2 * (key.length + (value?.text.length ?? 0)) + 1000,
    }),
  );

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /**
   * Answers a document that selects the field `key` and nothing else. Rejects with `CLIENT_GONE`
   * when all clients that wait for it have gone.
   */
  answer(
    key: string,
    document: DocumentNode,
    raw: RawVariables,
    signal: CancelSignal,
  ): Promise<IntrospectionAnswer> {
    const narrowed = withUsedVariables(document, raw);
    const name = `${print(narrowed.document)}\n${JSON.stringify(narrowed.variables)}`;
    return this.#answers.get(
      name,
      signal,
      () => this.#make(key, narrowed),
      ({ errors }) => errors.length === 0,
    );
  }

  async #make(key: string, { document, variables }: Narrowed): Promise<IntrospectionAnswer> {
    const portions = new Portions();
    const schema = inPortions(this.#schema, portions);
    const { data, errors = [] } = await execute({ schema, document, variableValues: variables });
    const value = data?.[key] ?? null;
    return {
      value: value === null ? null : new WrittenJson(await written(value, LEVELS, portions)),
      errors,
    };
  }
}

interface Narrowed {
  readonly document: DocumentNode;
  readonly variables: RawVariables;
}

/** Drops the variables of other fields: without them the answer is the same for all clients. */
function withUsedVariables(document: DocumentNode, raw: RawVariables): Narrowed {
  const used = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void used.add(name.value),
  });
  const definitions = document.definitions.map((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return definition;
    const { variableDefinitions = [] } = definition;
    return {
      ...definition,
      variableDefinitions: variableDefinitions.filter(({ variable }) =>
        used.has(variable.name.value),
      ),
    };
  });
  const variables = Object.fromEntries(Object.entries(raw).filter(([name]) => used.has(name)));
  return { document: { ...document, definitions }, variables };
}

/** The longest portion of work before other work runs. */
const PORTION_MILLIS = 5;

/** Interrupts long work, so that other work runs. */
class Portions {
  #began = performance.now();

  /** Resolves at once, or at the end of a portion after other work. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < PORTION_MILLIS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}

/** Values that resolve one after the other, a portion at a time. */
class InTurn {
  readonly #portions: Portions;
  readonly #waiting: (() => void)[] = [];
  #isResolving = false;

  constructor(portions: Portions) {
    this.#portions = portions;
  }

  /** The value, when its turn has come. */
  take<T>(value: T): Promise<T> {
    const taken = new Promise<T>((resolve) => this.#waiting.push(() => resolve(value)));
    if (!this.#isResolving) {
      this.#isResolving = true;
      void this.#resolveAll();
    }
    return taken;
  }

  async #resolveAll(): Promise<void> {
    for (let at = 0; at < this.#waiting.length; at++) {
      this.#waiting[at]?.();
      await this.#portions.next();
    }
    this.#waiting.length = 0;
    this.#isResolving = false;
  }
}

/** A type of more fields is answered in several portions: that of all reads may have thousands. */
const FIELDS_AT_ONCE = 20;

/**
 * Wraps the schema: its types, and the fields of large types, are promises that resolve one after
 * the other. graphql-js continues with each.
 */
function inPortions(schema: GraphQLSchema, portions: Portions): GraphQLSchema {
  const turns = new InTurn(portions);
  const wrapped = new Map<GraphQLNamedType, GraphQLNamedType>();
  const wrap = (type: GraphQLNamedType | null | undefined): GraphQLNamedType | null | undefined =>
    type == null ? type : getOrMake(wrapped, type, () => withFieldsInTurn(type, turns));
  const getTypeMap = (): Readonly<Record<string, unknown>> => {
    const types = Object.create(null);
    for (const [name, type] of Object.entries(schema.getTypeMap())) {
      types[name] = turns.take(wrap(type));
    }
    return types;
  };
  return Object.create(schema, {
    getTypeMap: { value: getTypeMap },
    getType: { value: (name: string) => wrap(schema.getType(name)) },
    // A type is one object, wherever graphql-js gets it.
    getQueryType: { value: () => wrap(schema.getQueryType()) },
    getMutationType: { value: () => wrap(schema.getMutationType()) },
    getSubscriptionType: { value: () => wrap(schema.getSubscriptionType()) },
  });
}

function withFieldsInTurn(type: GraphQLNamedType, turns: InTurn): GraphQLNamedType {
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return type;
  const fields = Object.entries<{ readonly deprecationReason: unknown }>(type.getFields());
  if (fields.length <= FIELDS_AT_ONCE) return type;
  const getFields = (): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      fields.map(([name, field]) => {
        const { deprecationReason } = field;
        // graphql-js leaves deprecated fields out before it waits for the others.
        return [name, Object.assign(turns.take(field), { deprecationReason })];
      }),
    );
  return Object.create(type, { getFields: { value: getFields } });
}

/** Down to the types of a schema: each of them is written at once. */
const LEVELS = 2;

async function written(value: unknown, levels: number, portions: Portions): Promise<string> {
  await portions.next();
  if (levels === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      parts.push(await written(item, levels - 1, portions));
    }
    return `[${parts.join()}]`;
  }
  for (const [key, inner] of Object.entries(value)) {
    parts.push(`${JSON.stringify(key)}:${await written(inner, levels - 1, portions)}`);
  }
  return `{${parts.join()}}`;
}
