import { type Finding, FindingsError, finding } from '../../config/keys/finding.js';
import type { Config } from '../../config/schema.js';
import { spelling } from '../../core/index.js';
import type { DescribedOperation } from '../../graphql/index.js';
import { type ProtectedResource, protectedResource } from './protected-resource.js';

/** The operations that are tools for agents. */
export interface McpTable {
  readonly path: string;
  /** The operations by the name of the tool, that of the field. */
  readonly tools: ReadonlyMap<string, DescribedOperation>;
  /** Tools that a person has to confirm. */
  readonly confirmed: ReadonlySet<DescribedOperation>;
  /** Leads clients to the server of their tokens; null where that is not known. */
  readonly resource: ProtectedResource | null;
}

/**
 * Null without `mcp`. Throws `ConfigurationError` for operations that are not there, or that write
 * where they may not.
 */
export function compileMcp(
  config: Config,
  described: ReadonlyMap<string, DescribedOperation>,
): McpTable | null {
  const { mcp } = config;
  if (mcp === undefined) return null;
  const { path } = mcp;
  const findings: Finding[] = [];
  const tools = toolsOf(mcp, described, findings);
  const confirmed = confirmedOf(mcp, described, tools, findings);
  if (tools.size === 0 && findings.length === 0) {
    const remedy = 'Name operations in `operations`: crm.GetCustomer.';
    findings.push(finding(['mcp'], '`mcp` names no operation.', remedy));
  }
  if (findings.length > 0) throw new FindingsError(findings);
  return { path, tools, confirmed, resource: protectedResource(config, path) };
}

type McpKeys = NonNullable<Config['mcp']>;
type Described = ReadonlyMap<string, DescribedOperation>;

/** The operations that `operations` and `write` name, by the name of the tool. */
function toolsOf(
  { operations, write }: McpKeys,
  described: Described,
  findings: Finding[],
): Map<string, DescribedOperation> {
  const tools = new Map<string, DescribedOperation>();
  const add = (each: DescribedOperation, key: 'operations' | 'write', at: number): void => {
    const { name } = each.field;
    const other = tools.get(name);
    // A query and a mutation may have one name.
    if (other !== undefined && other !== each) {
      const what =
        `\`${each.service}.${each.name}\` and \`${other.service}.${other.name}\` are ` +
        `one tool, \`${name}\`.`;
      findings.push(finding(['mcp', key, at], what, 'Give one of them another `field`.'));
    }
    tools.set(name, each);
  };
  const unknown = (key: 'operations' | 'write', at: number, name: string): void => {
    const remedy =
      spelling.didYouMean(name, [...described.keys()]) ??
      'Tools are operations that are fields of GraphQL.';
    findings.push(finding(['mcp', key, at], `GraphQL offers no operation \`${name}\`.`, remedy));
  };
  for (const [at, name] of operations.entries()) {
    const named = name.endsWith('.*') ? readsOf(name, described) : [described.get(name)];
    if (named.length === 0) {
      unknown('operations', at, name);
    }
    for (const found of named) {
      if (found === undefined) {
        unknown('operations', at, name);
      } else if (!found.isRead && !write.includes(name)) {
        const what = `\`${name}\` may change something, and \`mcp.write\` does not name it.`;
        const remedy =
          'Name it in `write` as well, or add it to `reads` of its service if it only reads.';
        findings.push(finding(['mcp', 'operations', at], what, remedy));
      } else {
        add(found, 'operations', at);
      }
    }
  }
  for (const [at, name] of write.entries()) {
    const found = described.get(name);
    if (found === undefined) {
      unknown('write', at, name);
    } else {
      add(found, 'write', at);
    }
  }
  return tools;
}

/** The reading operations of a service: `orders.*`. */
const readsOf = (pattern: string, described: Described): readonly DescribedOperation[] =>
  [...described.values()].filter(({ service, isRead }) => isRead && pattern === `${service}.*`);

/** The tools that `confirm` names. */
function confirmedOf(
  { confirm }: McpKeys,
  described: Described,
  tools: Described,
  findings: Finding[],
): ReadonlySet<DescribedOperation> {
  const confirmed = new Set<DescribedOperation>();
  const offered = new Set(tools.values());
  for (const [at, name] of confirm.entries()) {
    const found = described.get(name);
    if (found !== undefined && offered.has(found)) {
      confirmed.add(found);
    } else {
      const remedy = 'Name it in `operations` or `write` as well, or remove it.';
      findings.push(finding(['mcp', 'confirm', at], `\`${name}\` is no tool.`, remedy));
    }
  }
  return confirmed;
}
