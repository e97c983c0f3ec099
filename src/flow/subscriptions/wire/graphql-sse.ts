import type { Buffer } from 'node:buffer';
import type { ExecutionResult } from 'graphql';
import { createClient, print } from 'graphql-sse';

/** GraphQL over server-sent events, from either end: the only file that imports `graphql-sse`. */
export const nextEvent = (result: ExecutionResult): string =>
  print({ event: 'next', data: result });

/**
 * The line of an event, or of a ping, that clients send as `Last-Event-ID` when they come again.
 */
export const idLine = (id: string): string => `id: ${id}\n`;

export const COMPLETE_EVENT = print({ event: 'complete', data: null });

/** A comment: clients skip it. */
export const PING = ':\n\n';

/** One subscription at a service. */
export interface EventSubscription {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Sends the request. Rejects where there will be no events. */
  send(body: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
  next(result: unknown): void;
  /** The service broke the rules, or the connection did. */
  broken(): void;
  complete(): void;
}

/** Subscribes over a connection of its own, once, without reconnecting. The answer ends it. */
export function subscribeOverEvents(subscription: EventSubscription): () => void {
  const { query, variables } = subscription;
  const client = createClient({
    // The sender knows the address.
    url: '',
    retryAttempts: 0,
    fetchFn: async (
      _url: string,
      { body, signal }: { readonly body: string; readonly signal: AbortSignal },
    ) => {
      const stream = await subscription.send(body, signal);
      return { ok: true, status: 200, statusText: 'OK', body: stream };
    },
  });
  return client.subscribe(
    { query, variables },
    {
      next: (result) => subscription.next(result),
      error: () => subscription.broken(),
      complete: () => subscription.complete(),
    },
  );
}
