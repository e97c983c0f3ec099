import { PATH, SERVICE_OPERATION } from '../keys/formats.js';
import { closed, list, optional, string, text } from '../keys/key-types.js';

const OPERATION = string({
  ...SERVICE_OPERATION,
  hint: 'Write the service, a dot and the operation: crm.GetCustomer.',
});

/** Keys of the endpoint for agents: the part of the table of keys for it. */
export const MCP_KEYS = closed(
  {
    path: text('Its path on the traffic address.', { default: '/mcp', ...PATH }),
    operations: list(
      OPERATION,
      'The operations that are tools: `crm.GetCustomer`, or `crm.*` for all of a ' +
        'service that change nothing.',
      { maxItems: 10_000, uniqueItems: true, default: [] },
    ),
    write: list(
      OPERATION,
      'The operations that change something and are tools all the same: `crm.SetCustomer`.',
      { maxItems: 10_000, uniqueItems: true, default: [] },
    ),
    confirm: list(
      OPERATION,
      'Those of the tools that a person has to confirm: the agent is answered by a question ' +
        'first. Agents that cannot ask are refused.',
      { maxItems: 10_000, uniqueItems: true, default: [] },
    ),
    keys: optional(
      list(
        string({ minLength: 32, maxLength: 4096 }),
        'The secrets that questions to a person are sealed with, the same in all replicas. ' +
          'The first seals, all others are still read. Absent: each start of the gateway makes ' +
          'one, which its workers share.',
        { minItems: 1, maxItems: 8, uniqueItems: true },
      ),
    ),
  },
  'Offers operations as tools of the Model Context Protocol.',
);
