import { KIB, type LimitTable, limit, MIB } from '../../core/index.js';

/** Limits of the endpoint for agents. */
export const MCP_LIMITS = {
  answerBytes: limit(
    64 * KIB,
    [2 * KIB, 16 * MIB],
    'bytes',
    null,
    'Bytes of the answer of one tool. Of a longer one items of lists and ends of texts are ' +
      'left out, and a note tells which.',
  ),
  listBytes: limit(
    64 * KIB,
    [4 * KIB, 16 * MIB],
    'bytes',
    null,
    'Bytes of the list of all tools. In a longer one their schemas of answers are left out; ' +
      'if it is too long even so, tools that search and call stand for them.',
  ),
  confirmMillis: limit(
    300_000,
    [1_000, 3_600_000],
    'millis',
    null,
    'How long a person has to confirm a call (`mcp.confirm`). Later the question is asked ' +
      'again, or the call of an earlier revision of the protocol fails.',
  ),
  pendingConfirmations: limit(
    256,
    [1, 100_000],
    'count',
    null,
    'Calls that wait at one time for a person to confirm them, with clients of the revisions ' +
      'before 2026-07-28: each holds its connection. Further ones are not made.',
  ),
} satisfies LimitTable;
