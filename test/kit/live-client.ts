import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Closing } from './use.js';

/** A client of subscriptions over WebSocket, which ends with the test. */
export function useLiveClient(t: Closing, url: string): Client {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
  });
  t.teardown(() => client.dispose());
  return client;
}
