import type { Client } from '../../access/client.js';
import type { DescribedOperation } from '../../graphql/described/described-operation.js';
import { type Tool, toolOf } from '../../graphql/tools/tool.js';
import {
  findTools,
  LISTED_MAX,
  READING_TOOL,
  SEARCH_TOOL,
  searchTools,
  WRITING_TOOL,
} from '../../graphql/tools/tool-search.js';
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
  /** Described when they are listed first. */
  readonly #described = new Map<DescribedOperation, Tool>();

  constructor(endpoint: GraphqlEndpoint, operations: ReadonlyMap<string, DescribedOperation>) {
    this.#endpoint = endpoint;
    this.#operations = operations;
  }

  /** All that a client may call, or the tools that stand for them where they are many. */
  of(client: Client): readonly Tool[] {
    const callable = this.#callable(client);
    return callable.length > LISTED_MAX
      ? searchTools(callable)
      : callable.map((each) => this.#describe(each));
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
  search(client: Client, query: string, group: string | null): Readonly<Record<string, unknown>> {
    const found = findTools(this.#callable(client), query, group);
    return 'names' in found
      ? found
      : { tools: found.tools.map((each) => withoutOutput(this.#describe(each))) };
  }

  #callable(client: Client): readonly DescribedOperation[] {
    return [...this.#operations.values()].filter((each) => mayCall(this.#endpoint, client, each));
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

const withoutOutput = ({ outputSchema, ...tool }: Tool): Omit<Tool, 'outputSchema'> => tool;
