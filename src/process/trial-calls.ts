import { parse, valueFromASTUntyped } from 'graphql';
import type { Compiled } from '../compile.js';
import { isWritable, rootFieldOf } from '../flow/graphql/page-example.js';
import { type DescribedOperation, namedOperations, schemaDocs } from '../graphql/index.js';

/** Commands that call one operation of a trial over REST and as a tool. */
export interface TrialCalls {
  rest(url: string): string | null;
  mcp(url: string): string | null;
}

interface ExampleCall {
  readonly described: DescribedOperation;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Makes commands of the query that GraphiQL begins with, or of a mutation where no query has an
 * example.
 */
export function trialCalls(compiled: Compiled, query: string): TrialCalls {
  const example = exampleOf(compiled, query);
  return {
    rest: (url) => (example === null ? null : restCommand(compiled, url, example)),
    mcp: (url) => (example === null ? null : toolCommand(compiled, url, example)),
  };
}

function exampleOf(compiled: Compiled, query: string): ExampleCall | null {
  const all = [...namedOperations.describedOperations(compiled.graph).values()];
  const field = rootFieldOf(parse(query)).name.value;
  const read = all.find((each) => each.isRead && each.field.name === field);
  if (read !== undefined) return { described: read, values: valuesOf(query) };
  for (const described of all) {
    if (described.isRead) continue;
    const { field: called, bound } = described;
    const text = schemaDocs
      .exampleCalls(called, 'mutation', schemaDocs.validArguments(bound))
      .find((each) => isWritable(compiled, 'Mutation', called, parse(each)));
    if (text !== undefined) return { described, values: valuesOf(text) };
  }
  return null;
}

/** The arguments of an example as JSON. */
const valuesOf = (document: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    (rootFieldOf(parse(document)).arguments ?? []).map(({ name, value }) => [
      name.value,
      valueFromASTUntyped(value),
    ]),
  );

function restCommand(
  { rest }: Compiled,
  url: string,
  { described, values }: ExampleCall,
): string | null {
  const [path] =
    [...(rest?.operations ?? [])].find(([, { field }]) => field === described.field) ?? [];
  if (path === undefined) return null;
  const given = Object.entries(values);
  const isPlain = given.every(([name, value]) => name !== 'fields' && typeof value !== 'object');
  if (!described.isRead || !isPlain) return postCommand(`${url}${path}`, values);
  const parameters = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  );
  return `curl -s ${quoted(`${url}${path}${given.length === 0 ? '' : `?${parameters}`}`)}`;
}

function toolCommand(
  { mcp }: Compiled,
  url: string,
  { described, values }: ExampleCall,
): string | null {
  const { name } = described.field;
  if (mcp?.tools.get(name)?.field !== described.field) return null;
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: values },
  };
  return postCommand(`${url}${mcp.path}`, message);
}

const postCommand = (url: string, body: unknown): string =>
  `curl -s ${quoted(url)} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`;

/** A word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
