import type { IncomingMessage } from 'node:http';
import type { Compiled } from '../../compile.js';
import { listenHosts } from '../../config/listen/listen-keys.js';
import { Refusal } from '../../core/index.js';
import { hostNames, isHostAllowed } from '../../gateway/host-name.js';
import { pages } from '../../graphql/index.js';

/** Throws `HTTP_MISDIRECTED` for a request to `path` whose Host is not a name of the gateway. */
export type HostCheck = (path: string, request: IncomingMessage) => void;

/**
 * Makes the check against DNS rebinding: a page whose own name leads to the gateway is of the same
 * origin to a browser, which then lets it read answers. `hosts` is for every path, `publicUrl`
 * alone for those of GraphQL and what offers its operations: SOAP clients inside a network often
 * use other names.
 */
export function makeHostCheck({ config, graph, rest, mcp }: Compiled): HostCheck {
  const { listen, publicUrl, hosts } = config;
  const isForAll = hosts.length > 0;
  if (!isForAll && publicUrl === undefined) return () => {};
  const published = publicUrl === undefined ? '' : new URL(publicUrl).hostname;
  const names = hostNames([...listenHosts(listen), published, ...hosts]);
  const exact = new Set(['/', graph.path, ...(mcp === null ? [] : [mcp.path])]);
  const prefixes = [pages.assetsPath(graph.path), ...(rest?.bases ?? [])];
  return (path, { headers: { host } }) => {
    if (
      (isForAll || exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix))) &&
      !isHostAllowed(host, names)
    ) {
      const detail = 'a host that neither `publicUrl` nor `hosts` names';
      throw new Refusal('HTTP_MISDIRECTED', detail, { found: host ?? null });
    }
  };
}
