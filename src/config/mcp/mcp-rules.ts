import { isRecord } from '../../base/record.js';
import type { ClaimedPath } from '../listen/path-rules.js';

/** The path of the endpoint for agents. */
export const mcpPath = (mcp: unknown): readonly ClaimedPath[] =>
  isRecord(mcp) ? [{ path: ['mcp', 'path'], claimed: mcp['path'] }] : [];
