import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** Rules between the keys of a service that speaks GraphQL. */
export const graphqlServiceRules = (
  service: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] => subscriptionFindings(service, [...path, 'subscriptions']);

/** The protocol follows from the address; parameters are for WebSockets. */
function subscriptionFindings(
  service: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  const { subscriptions, auth } = service;
  if (!isRecord(subscriptions)) return [];
  const { url, protocol, connectionParams } = subscriptions;
  const isWebSocket = typeof url === 'string' && /^wss?:/i.test(url);
  const findings: Finding[] = [];
  if (isWebSocket && protocol === 'sse') {
    const what =
      `${printPath([...path, 'protocol'])} works over HTTP, but the address ` +
      'is that of a WebSocket.';
    findings.push({
      path: [...path, 'protocol'],
      part: 'value',
      what,
      remedy: 'Write an http or https address.',
    });
  }
  if (
    isRecord(auth) &&
    auth['ntlm'] !== undefined &&
    (isWebSocket || protocol === 'graphql-transport-ws')
  ) {
    const what =
      `${printPath(path)} are over WebSockets, whose connections cannot be ` +
      'authenticated by NTLM.';
    findings.push({
      path,
      part: 'key',
      what,
      remedy: 'Take `protocol: sse`, or another kind of `auth`.',
    });
  }
  const hasParams = isRecord(connectionParams) && Object.keys(connectionParams).length > 0;
  if (hasParams && !isWebSocket && protocol !== 'graphql-transport-ws') {
    const what = `${printPath([...path, 'connectionParams'])} are for a WebSocket.`;
    const remedy = 'Give `protocol: graphql-transport-ws`, or use `headers`.';
    findings.push({ path: [...path, 'connectionParams'], part: 'key', what, remedy });
  }
  return findings;
}
