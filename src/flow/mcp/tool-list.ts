import type { Client } from '../../access/client.js';
import { type Steps, TimeSlices } from '../../base/time-slices.js';
import {
  introspectionPoints,
  prepareWholeCount,
  wholeSchemaFields,
} from '../../graphql/admission/introspection-cost.js';
import type { DescribedOperation } from '../../graphql/described/described-operation.js';
import { type Tool, toolOf } from '../../graphql/tools/tool.js';
import {
  FOUND_MAX,
  findTools,
  LISTED_MAX,
  READING_TOOL,
  SEARCH_TOOL,
  searchTools,
  WRITING_TOOL,
} from '../../graphql/tools/tool-search.js';
import { CallableOperations, type CallableSet } from '../graphql/callable-operations.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { mayCall } from '../graphql/may-call.js';

/** What a tool of `tools/call` stands for. */
export type CalledTool =
  | { readonly kind: 'operation'; readonly described: DescribedOperation }
  | { readonly kind: 'search' }
  /** Calls another one by its name: one that only reads, or one that does not. */
  | { readonly kind: 'call'; readonly isRead: boolean };

/** The tools of one generation, as each client may use them. */
export class ToolList {
  readonly #endpoint: GraphqlEndpoint;
  readonly #operations: ReadonlyMap<string, DescribedOperation>;
  readonly #callable: CallableOperations;
  readonly #slices = new TimeSlices();
  /** Described when they are listed first. */
  readonly #described = new Map<DescribedOperation, Tool>();

  constructor(endpoint: GraphqlEndpoint, operations: ReadonlyMap<string, DescribedOperation>) {
    this.#endpoint = endpoint;
    this.#operations = operations;
    this.#callable = new CallableOperations(endpoint, operations.values());
  }

  /** The operations that a client may call. */
  async callable(client: Client): Promise<CallableSet> {
    await prepareWholeCount(this.#endpoint.operations.admission.schema);
    return this.#slices.run(this.#callable.of(client));
  }

  /** All of the set, or the tools that stand for them where they are many. */
  list({ operations }: CallableSet): Promise<readonly Tool[]> {
    return isListed(operations)
      ? this.#slices.run(this.#describeAll([...operations], (tool) => tool))
      : Promise.resolve(searchTools([...operations]));
  }

  /** Points for a list of the set. */
  listPoints({ operations }: CallableSet): number {
    return this.#pointsOf(isListed(operations) ? operations.size : 0);
  }

  /** Points for a search, whatever it finds. */
  searchPoints({ operations }: CallableSet): number {
    return this.#pointsOf(Math.min(FOUND_MAX, operations.size));
  }

  /**
   * Points for the description of so many tools: their share of what introspection of all of them
   * costs, since it takes as long.
   */
  #pointsOf(tools: number): number {
    const { schema, limits } = this.#endpoint.operations.admission;
    const all = this.#endpoint.operations.built.fields.size;
    const share = Math.min(1, tools / Math.max(1, all));
    return Math.max(1, introspectionPoints(share * wholeSchemaFields(schema), limits.cost));
  }

  /** The tool of this name; null where there is none, or the client may not call it. */
  find(client: Client, name: string): CalledTool | null {
    const described = this.#operations.get(name);
    if (described !== undefined) {
      return mayCall(this.#endpoint, client, described) ? { kind: 'operation', described } : null;
    }
    if (this.#operations.size <= LISTED_MAX) return null;
    if (name === SEARCH_TOOL) return { kind: 'search' };
    if (name === READING_TOOL || name === WRITING_TOOL)
      return { kind: 'call', isRead: name === READING_TOOL };
    return null;
  }

  /** The answer of the tool that searches. */
  search(
    { operations }: CallableSet,
    query: string,
    group: string | null,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.#slices.run(this.#find([...operations], query, group));
  }

  *#find(
    operations: readonly DescribedOperation[],
    query: string,
    group: string | null,
  ): Steps<Readonly<Record<string, unknown>>> {
    const found = yield* findTools(operations, query, group);
    return 'names' in found
      ? found
      : { tools: yield* this.#describeAll(found.tools, withoutOutput) };
  }

  *#describeAll<T>(
    operations: readonly DescribedOperation[],
    as: (tool: Tool) => T,
  ): Steps<readonly T[]> {
    const tools: T[] = [];
    for (const each of operations) {
      tools.push(as(this.#describe(each)));
      yield;
    }
    return tools;
  }

  #describe(each: DescribedOperation): Tool {
    let tool = this.#described.get(each);
    if (tool === undefined) {
      const { services, operations } = this.#endpoint;
      const isIdempotent = services.get(each.service)?.isIdempotent(each.bound.operation) === true;
      tool = toolOf(each, operations.built.schema, isIdempotent);
      this.#described.set(each, tool);
    }
    return tool;
  }
}

const isListed = (operations: CallableSet['operations']): boolean => operations.size <= LISTED_MAX;

const withoutOutput = ({ outputSchema, ...tool }: Tool): Omit<Tool, 'outputSchema'> => tool;
