import type { IncomingMessage } from 'node:http';
import type { Compiled } from '../../compile.js';
import { listenHosts } from '../../config/listen/listen-keys.js';
import { inputFiles, Refusal, type sharedState } from '../../core/index.js';
import { hostNames, isHostAllowed } from '../../gateway/host-name.js';
import { namedOperations } from '../../graphql/index.js';
import type { OperationEndpoint } from '../calls/operation-endpoint.js';
import { exactOrigins, originOf } from '../graphql/cors.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { refuseInForm } from '../http/refuse.js';
import { answerMcp, refusedMessage } from './answer-mcp.js';
import { Confirmations } from './confirmation.js';
import type { PendingConfirmations } from './pending-confirmations.js';
import { challengeParameter, makeResourceEndpoint } from './resource-endpoint.js';
import { ToolList } from './tool-list.js';

/** Clients in browsers look for their authorization server in the challenge. */
const PAGE_FIELDS = {
  requests: ['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'],
  answers: ['www-authenticate', 'retry-after', 'mcp-session-id'],
};

/** What confirmations need of the process. */
interface ConfirmationState {
  readonly confirmations: PendingConfirmations;
  readonly nonces: sharedState.NonceStore | null;
}

/** Null without `mcp`. */
export function makeMcpEndpoint(
  { mcp, config }: Pick<Compiled, 'mcp' | 'config'>,
  graphql: GraphqlEndpoint,
  { confirmations: pending, nonces }: ConfirmationState,
): OperationEndpoint | null {
  if (mcp === null) return null;
  const { limits } = config;
  const { answerBytes, listBytes, confirmMillis, pendingConfirmations: pendingMax } = limits.mcp;
  const parts = {
    endpoint: graphql,
    calls: new namedOperations.DescribedCalls(graphql.operations),
    tools: new ToolList(graphql, mcp.tools, listBytes),
    confirmed: mcp.confirmed,
    confirmations: new Confirmations({
      ...{ keys: config.mcp?.keys ?? [], confirmMillis, pendingMax },
      ...{ pending, nonces },
    }),
    pending,
    answerBytes,
    path: mcp.path,
    serverInfo: { name: 'soapstone', version: inputFiles.packageVersion() },
  };
  return {
    route: 'mcp',
    pageFields: PAGE_FIELDS,
    isFor: (path) => path === mcp.path || path === mcp.resource?.path,
    open: mcp.resource === null ? null : makeResourceEndpoint(mcp.resource),
    checkOrigin: makeOriginCheck(config),
    answer: (asked) => answerMcp(parts, asked),
    refuse(exchange, response, refusal) {
      const print = (): string => JSON.stringify(refusedMessage(refusal));
      refuseInForm(
        exchange,
        response,
        refusal,
        'application/json',
        print,
        challengeParameter(mcp.resource),
      );
    },
  };
}

/**
 * Refuses pages of other origins, whatever they send: agents run on the machines of people, beside
 * their browsers. A page of the Host itself is taken if that is a name of the gateway: any other
 * may lead here for a while (DNS rebinding).
 */
function makeOriginCheck({
  graphql,
  publicUrl,
  listen,
  hosts,
}: Compiled['config']): (request: IncomingMessage) => void {
  const origins = exactOrigins([
    ...graphql.origins,
    ...(graphql.cors?.origins ?? []),
    publicUrl ?? '',
  ]);
  const published = publicUrl === undefined ? '' : new URL(publicUrl).hostname;
  const names = hostNames([...listenHosts(listen), published, ...hosts]);
  return ({ headers: { origin, host } }) => {
    if (origin === undefined) return;
    const parsed = originOf(origin);
    if (parsed !== null) {
      if (origins.has(parsed)) return;
      if (new URL(parsed).host === host?.toLowerCase() && isHostAllowed(host, names)) return;
    }
    throw new Refusal('HTTP_ORIGIN', null, {
      found: origin,
      text: 'Pages of this origin may not call tools here.',
    });
  };
}
