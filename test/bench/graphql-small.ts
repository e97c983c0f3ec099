import { withLoad } from './contender.js';
import { isProgram, isQuick, print } from './kit.js';
import { GRAPHQL_CALL, type SmallCall, SOAP_CALL } from './messages.js';
import { startSoapstone } from './soapstone.js';
import { compareWays, type Way } from './ways.js';

const AT_ONCE = 16;

const WITH_VARIABLE: SmallCall = {
  ...GRAPHQL_CALL,
  body: Buffer.from(
    JSON.stringify({
      query: 'query ($limit: Int) { orders(limit: $limit) { id status total customer { name } } }',
      variables: { limit: 1 },
    }),
  ),
};

/**
 * A small GraphQL query, its document known, beside the same SOAP call through the proxy: CPU per
 * request, in turn.
 */
export const benchGraphqlSmall = (quick: boolean): Promise<void> =>
  withLoad(
    (backend) => startSoapstone(`${backend}/soap/bench?orders=1`),
    async (load, gateway) => {
      const ways: readonly Way[] = [
        ['SOAP', () => load.ask(SOAP_CALL)],
        ['GraphQL', () => load.ask(GRAPHQL_CALL)],
        ['GraphQL, with a variable', () => load.ask(WITH_VARIABLE)],
      ];
      const count = quick ? 1_000 : 6_000;
      const costs = await compareWays(gateway, ways, {
        count,
        rounds: quick ? 5 : 11,
        atOnce: AT_ONCE,
      });
      print(
        '\nOne order: the same call through the proxy and as a GraphQL query, ' +
          `${count} a round\n\n${costs}`,
      );
    },
    AT_ONCE,
  );

if (isProgram(import.meta.url)) await benchGraphqlSmall(isQuick());
