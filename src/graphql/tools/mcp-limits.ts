import { KIB, type LimitTable, limit, MIB } from '../../base/limit.js';

/** Limits of the endpoint for agents. */
// biome-ignore format: a table
export const MCP_LIMITS = {
  answerBytes: limit(64 * KIB, [2 * KIB, 16 * MIB], 'bytes', null,
    'Bytes of the answer of one tool. Of a longer one items of lists and ends of texts are left out, and a note tells which.'),
} satisfies LimitTable;
