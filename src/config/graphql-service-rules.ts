import { isRecord } from '../base/record.js';
import { type Finding, printPath } from './validate.js';
import type { ConfigPath } from './yaml-source.js';

/** Rules between the keys of a service that speaks GraphQL. */
export function graphqlServiceRules(service: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  const findings: Finding[] = [];
  const own = (name: string, at: ConfigPath, part: Finding['part']): void => {
    if (!OURS.has(name.toLowerCase()) && !name.toLowerCase().startsWith('sec-websocket-')) return;
    const what = `${printPath(at)} names a header field that the gateway writes itself, or that concerns one connection.`;
    findings.push({ path: at, part, what, remedy: 'Leave it away.' });
  };
  const { headers, forwardHeaders } = service;
  const fixed = isRecord(headers) ? Object.keys(headers) : [];
  for (const name of fixed) own(name, [...path, 'headers', name], 'key');
  for (const [index, name] of Array.isArray(forwardHeaders) ? forwardHeaders.entries() : []) {
    const at = [...path, 'forwardHeaders', index];
    own(String(name), at, 'value');
    if (!fixed.some((each) => each.toLowerCase() === String(name).toLowerCase())) continue;
    const what = `${printPath(at)} is one of \`headers\` already.`;
    findings.push({ path: at, part: 'value', what, remedy: 'Keep one of them.' });
  }
  return [...findings, ...subscriptionFindings(service, [...path, 'subscriptions'])];
}

/** The protocol follows from the address; parameters are for WebSockets. */
function subscriptionFindings(service: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  const { subscriptions } = service;
  if (!isRecord(subscriptions)) return [];
  const { url, protocol, connectionParams } = subscriptions;
  const isWebSocket = typeof url === 'string' && /^wss?:/i.test(url);
  const findings: Finding[] = [];
  if (isWebSocket && protocol === 'sse') {
    const what = `${printPath([...path, 'protocol'])} works over HTTP, but the address is that of a WebSocket.`;
    findings.push({ path: [...path, 'protocol'], part: 'value', what, remedy: 'Write an http or https address.' });
  }
  const hasParams = isRecord(connectionParams) && Object.keys(connectionParams).length > 0;
  if (hasParams && !isWebSocket && protocol !== 'graphql-transport-ws') {
    const what = `${printPath([...path, 'connectionParams'])} are for a WebSocket.`;
    const remedy = 'Give `protocol: graphql-transport-ws`, or use `headers`.';
    findings.push({ path: [...path, 'connectionParams'], part: 'key', what, remedy });
  }
  return findings;
}

const OURS: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'content-encoding', 'accept', 'accept-encoding', 'host', 'expect'],
  ...[
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'http2-settings',
  ],
  ...['proxy-authenticate', 'proxy-authorization'],
]);
