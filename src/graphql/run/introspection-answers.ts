import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  Kind,
  print,
  visit,
} from 'graphql';
import {
  BoundedCache,
  type CancelSignal,
  MIB,
  makeOncePer,
  SharedMaking,
} from '../../core/index.js';
import type { RawVariables } from '../output/reply-plan.js';
import { WrittenJson } from './written-json.js';

/** The answer to one field of introspection. */
interface IntrospectionAnswer {
  readonly value: WrittenJson | null;
  readonly errors: readonly GraphQLError[];
}

/** The answers to introspection of one schema. */
export const introspectionAnswers = makeOncePer(
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
  readonly #answers = new SharedMaking<IntrospectionAnswer>(
    new BoundedCache({
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

/**
 * Wraps the schema: its types are promises that resolve one after the other. graphql-js continues
 * with each.
 */
function inPortions(schema: GraphQLSchema, portions: Portions): GraphQLSchema {
  const getTypeMap = (): Readonly<Record<string, Promise<GraphQLNamedType>>> => {
    const types = Object.create(null);
    const resolvers: (() => void)[] = [];
    for (const [name, type] of Object.entries(schema.getTypeMap())) {
      types[name] = new Promise<GraphQLNamedType>((resolve) => resolvers.push(() => resolve(type)));
    }
    void (async () => {
      for (const resolve of resolvers) {
        resolve();
        await portions.next();
      }
    })();
    return types;
  };
  const getType = (name: string): GraphQLNamedType | undefined => schema.getType(name);
  return Object.create(schema, { getTypeMap: { value: getTypeMap }, getType: { value: getType } });
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
