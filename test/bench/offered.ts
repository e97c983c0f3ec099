import { resolve } from 'node:path';
import { withLoad } from './contender.js';
import { isProgram, isQuick, print } from './kit.js';
import { GRAPHQL_CALL } from './messages.js';
import { startKeys } from './soapstone.js';
import { compareWays, type Way } from './ways.js';

const AT_ONCE = 24;

const FIELDS = 'id,status,total,customer/name';

const KEYS = (backend: string): string => `services:
  legacy:
    wsdl: ${resolve('config/demo/legacy.wsdl')}
    url: ${backend}/soap/bench?orders=1
    rest: true
    operations: { ListOrders: { field: Query.orders } }
mcp: { operations: [legacy.ListOrders] }
limits: { overload: { eventLoopMillis: 0 } }
`;

/**
 * One small operation by GraphQL, over REST and as a tool, with the same fields: CPU per request,
 * in turn.
 */
export const benchOffered = (quick: boolean): Promise<void> =>
  withLoad(
    (backend) => startKeys(KEYS(backend)),
    async (load, gateway) => {
      const json = ['content-type', 'application/json'];
      const params = { name: 'orders', arguments: { fields: FIELDS } };
      const message = Buffer.from(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      );
      const none = Buffer.from('{}');
      const ways: readonly Way[] = [
        ['GraphQL', () => load.ask(GRAPHQL_CALL)],
        ['REST', () => load.post(`/rest/legacy/ListOrders?fields=${FIELDS}`, json, none)],
        ['MCP', () => load.post('/mcp', [...json, 'mcp-protocol-version', '2025-11-25'], message)],
      ];
      const count = quick ? 1_000 : 6_000;
      const costs = await compareWays(gateway, ways, {
        count,
        rounds: quick ? 5 : 11,
        atOnce: AT_ONCE,
      });
      print(
        '\nOne order: the same fields by GraphQL, over REST and as a tool, ' +
          `${count} a round\n\n${costs}`,
      );
    },
  );

if (isProgram(import.meta.url)) await benchOffered(isQuick());
