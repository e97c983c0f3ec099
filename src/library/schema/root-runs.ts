import type { ExecutionResult, GraphQLError, GraphQLFieldResolver } from 'graphql';
import type { AskedField } from './asked-field.js';
import type { PeerGraphql } from './peer-graphql.js';
import { type PlacedError, withErrors } from './placed-errors.js';
import type { PushedDocuments, PushedOperation } from './pushed-document.js';

/** Runs an operation for a request with this context of its server. Rejects with a bug alone. */
export type RunOperation = (
  operation: PushedOperation,
  context: unknown,
) => Promise<ExecutionResult>;

/** Root fields that are asked for in one turn of the event loop, for one run. */
interface Gathering {
  readonly context: unknown;
  readonly fields: AskedField[];
  readonly result: Promise<ExecutionResult>;
}

/**
 * Answers root fields of another copy of `graphql`, which asks for one at a time. Fields of a query
 * come together before anything waits: they are run as the one operation that they are, so that
 * their links and limits are those of the operation. Fields of a mutation come in turn.
 */
export class RootRuns {
  readonly #graphql: PeerGraphql;
  readonly #documents: PushedDocuments;
  readonly #run: RunOperation;
  /** The last gathering of an execution, by its variables: each has an object of its own. */
  readonly #gathered = new WeakMap<object, Gathering>();

  constructor(graphql: PeerGraphql, documents: PushedDocuments, run: RunOperation) {
    this.#graphql = graphql;
    this.#documents = documents;
    this.#run = run;
  }

  readonly resolve: GraphQLFieldResolver<unknown, unknown> = async (
    _source,
    given: Readonly<Record<string, unknown>>,
    context,
    info,
  ) => {
    const field = { key: String(info.path.key), arguments: given, info };
    const result = await this.#gather(field, context).result;
    return this.#answer(field, result);
  };

  #gather(field: AskedField, context: unknown): Gathering {
    const { variableValues, operation } = field.info;
    const known = this.#gathered.get(variableValues);
    const isSame =
      known !== undefined &&
      known.context === context &&
      known.fields[0]?.info.operation === operation &&
      known.fields.every(({ key }) => key !== field.key);
    if (isSame) {
      known.fields.push(field);
      return known;
    }
    const fields = [field];
    const result = Promise.resolve().then(() => {
      // What comes later begins another run.
      if (this.#gathered.get(variableValues)?.fields === fields) {
        this.#gathered.delete(variableValues);
      }
      return this.#run(this.#documents.of(fields), context);
    });
    const gathering = { context, fields, result };
    this.#gathered.set(variableValues, gathering);
    return gathering;
  }

  /** Returns the value of a field, with its errors in their places. Throws that of the field. */
  #answer({ key }: AskedField, { data, errors = [] }: ExecutionResult): unknown {
    const value = data?.[key] ?? null;
    const own = errors.filter(({ path }) => path?.[0] === key);
    const placed = own.map((error): PlacedError => {
      const path = error.path ?? [];
      const below = path.slice(1);
      return {
        path: below,
        error: (at) => this.#copyOf(error, at.length === below.length ? null : path),
      };
    });
    const answered = withErrors(value, placed);
    if (answered instanceof Error) throw answered;
    // Nothing was run, or the whole answer is null for another field.
    const [first] = errors;
    if (data == null && first !== undefined) throw this.#copyOf(first, null);
    return answered;
  }

  /** `path`: where that is below the place that is null for it; null: graphql adds the place. */
  #copyOf(
    { message, extensions }: Pick<GraphQLError, 'message' | 'extensions'>,
    path: readonly (string | number)[] | null,
  ): GraphQLError {
    const error = new this.#graphql.GraphQLError(message);
    return Object.assign(error, { extensions }, path === null ? {} : { path });
  }
}
