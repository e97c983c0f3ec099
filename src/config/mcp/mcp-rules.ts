import { isRecord } from '../../core/index.js';
import type { EndpointPath } from '../listen/path-rules.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * The address of the description of a resource: between its host and its path (RFC 9728 section
 * 3.1).
 */
export const describedAt = (resource: URL): URL =>
  new URL(WELL_KNOWN + resource.pathname, resource.origin);

/** The address of the endpoint for agents as clients write it. */
export const resourceAt = (publicUrl: string, path: string): URL =>
  new URL(publicUrl.replace(/\/+$/, '') + path);

/** The path of the endpoint for agents, and that of its description where it may have one. */
export function mcpPaths({ mcp, publicUrl }: Record<string, unknown>): readonly EndpointPath[] {
  const claimed = isRecord(mcp) ? mcp['path'] : undefined;
  if (typeof claimed !== 'string') return [];
  const path = ['mcp', 'path'];
  const own: EndpointPath = { path, claimed, endpoint: 'mcp', reach: 'exact' };
  if (typeof publicUrl !== 'string' || !URL.canParse(publicUrl.replace(/\/+$/, '') + claimed)) {
    return [own];
  }
  const described = describedAt(resourceAt(publicUrl, claimed)).pathname;
  return [own, { path, claimed: described, endpoint: 'resource', reach: 'exact', isDerived: true }];
}
