import { Buffer } from 'node:buffer';
import type { Client } from '../../access/client.js';
import { getOrMake, type Steps, TimeSlices } from '../../core/index.js';
import { admission, type DescribedOperation } from '../../graphql/index.js';
import { CallableOperations, type CallableSet } from '../graphql/callable-operations.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { mayCall } from '../graphql/may-call.js';
import { type Tool, toolOf } from './tool.js';
import { type DescribedTool, describeParts, describeType } from './tool-parts.js';
import {
  FOUND_MAX,
  findTools,
  LISTED_MAX,
  READING_TOOL,
  SEARCH_TOOL,
  searchTools,
  WRITING_TOOL,
} from './tool-search.js';

/** What a tool of `tools/call` stands for. */
export type CalledTool =
  | { readonly kind: 'operation'; readonly described: DescribedOperation }
  | { readonly kind: 'search' }
  /** Calls another one by its name: one that only reads, or one that does not. */
  | { readonly kind: 'call'; readonly isRead: boolean };

/** Tools that an agent looks for: by words, of a group, or one, of which it may want a type. */
export interface WantedTools {
  readonly query: string;
  readonly group: string | null;
  readonly tool: string | null;
  readonly type: string | null;
}

interface MeasuredTool {
  readonly tool: Tool;
  /** In a list, and there without the schema of answers. */
  readonly bytes: number;
  readonly inputBytes: number;
}

/** The tools of one generation, as each client may use them. */
export class ToolList {
  readonly #endpoint: GraphqlEndpoint;
  readonly #operations: ReadonlyMap<string, DescribedOperation>;
  readonly #callable: CallableOperations;
  readonly #slices = new TimeSlices();
  readonly #listBytes: number;
  /** Described when they are listed first. */
  readonly #described = new Map<DescribedOperation, MeasuredTool>();

  /** `listBytes`: how long a list of all tools may be. */
  constructor(
    endpoint: GraphqlEndpoint,
    operations: ReadonlyMap<string, DescribedOperation>,
    listBytes: number,
  ) {
    this.#endpoint = endpoint;
    this.#listBytes = listBytes;
    this.#operations = operations;
    this.#callable = new CallableOperations(endpoint, operations.values());
  }

  /** The operations that a client may call. */
  async callable(client: Client): Promise<CallableSet> {
    await admission.prepareWholeCount(this.#endpoint.operations.admission.schema);
    return this.#slices.run(this.#callable.of(client));
  }

  /** All of the set, or the tools that stand for them where they are many or long. */
  list({ operations }: CallableSet): Promise<readonly Tool[]> {
    return isListed(operations)
      ? this.#slices.run(this.#listWhole([...operations]))
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
    return Math.max(
      1,
      admission.introspectionPoints(share * admission.wholeSchemaFields(schema), limits.cost),
    );
  }

  /** The tool of this name; null where there is none, or the client may not call it. */
  find(client: Client, name: string): CalledTool | null {
    const described = this.#operations.get(name);
    if (described !== undefined) {
      return mayCall(this.#endpoint, client, described) ? { kind: 'operation', described } : null;
    }
    if (name === SEARCH_TOOL) return { kind: 'search' };
    if (name === READING_TOOL || name === WRITING_TOOL) {
      return { kind: 'call', isRead: name === READING_TOOL };
    }
    return null;
  }

  /** The answer of the tool that searches, in at most `bytesMax` bytes. */
  search(
    { operations }: CallableSet,
    wanted: WantedTools,
    bytesMax: number,
  ): Promise<Readonly<Record<string, unknown>> | null> {
    return this.#slices.run(this.#find([...operations], wanted, bytesMax));
  }

  *#find(
    operations: readonly DescribedOperation[],
    { query, group, tool, type }: WantedTools,
    bytesMax: number,
  ): Steps<Readonly<Record<string, unknown>> | null> {
    const { schema } = this.#endpoint.operations.built;
    if (tool !== null) {
      const described = operations.find(({ field }) => field.name === tool);
      if (described === undefined) return null;
      return type === null
        ? { ...(yield* describeParts([this.#asTool(described)], schema, bytesMax)) }
        : yield* describeType(this.#asTool(described), type, schema, bytesMax);
    }
    const found = yield* findTools(operations, query, group, bytesMax);
    if ('names' in found) return found;
    const tools = found.tools.map((each) => this.#asTool(each));
    return { ...(yield* describeParts(tools, schema, bytesMax)) };
  }

  *#listWhole(operations: readonly DescribedOperation[]): Steps<readonly Tool[]> {
    const tools: Tool[] = [];
    let [bytes, inputBytes] = [0, 0];
    for (const each of operations) {
      const described = this.#describe(each);
      tools.push(described.tool);
      bytes += described.bytes;
      inputBytes += described.inputBytes;
      yield;
    }
    if (bytes <= this.#listBytes) return tools;
    return inputBytes <= this.#listBytes ? tools.map(withoutOutput) : searchTools(operations);
  }

  #describe(each: DescribedOperation): MeasuredTool {
    return getOrMake(this.#described, each, () => {
      const { isIdempotent } = this.#asTool(each);
      const tool = toolOf(each, this.#endpoint.operations.built.schema, isIdempotent);
      const inList = (value: Tool): number => Buffer.byteLength(JSON.stringify(value)) + 1;
      return { tool, bytes: inList(tool), inputBytes: inList(withoutOutput(tool)) };
    });
  }

  #asTool(described: DescribedOperation): DescribedTool {
    const service = this.#endpoint.services.get(described.service);
    return {
      described,
      isIdempotent: service?.isIdempotent(described.bound.operation) === true,
    };
  }
}

const isListed = (operations: CallableSet['operations']): boolean => operations.size <= LISTED_MAX;

const withoutOutput = ({ outputSchema, ...tool }: Tool): Tool => tool;
