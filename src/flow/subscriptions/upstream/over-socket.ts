import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { asRefusal, observing, Refusal } from '../../../core/index.js';
import type { subschemas } from '../../../graphql/index.js';
import { authentication } from '../../../upstream/index.js';
import { subscribeOverSocket } from '../wire/graphql-ws.js';
import { type OutgoingParts, OutgoingSocket } from './outgoing-socket.js';

export interface SocketAsk extends Omit<OutgoingParts, 'unauthorized'> {
  readonly url: string;
  readonly request: subschemas.SubschemaRequest;
  readonly observer: observing.CallObserver | null;
  readonly connectionParams: Readonly<Record<string, string>>;
  /** Null where the fields of the request are all there is. */
  readonly credentials: authentication.Credentials | null;
}

/**
 * Subscribes over a WebSocket of its own: one that others share would die for all of them of the
 * event of one. A handshake that is answered with status 401 is made once more, with other
 * credentials.
 */
export function feedOverSocket(ask: SocketAsk): void {
  if (ask.credentials === null) {
    subscribe({ ...ask, unauthorized: null });
  } else {
    obtain(ask, ask.credentials, null);
  }
}

/**
 * Obtains the credentials, and subscribes with them. `refused` is the answer to the first
 * handshake; null before it.
 */
function obtain(
  ask: SocketAsk,
  credentials: authentication.Credentials,
  refused: authentication.CallToAuthorize['refused'],
): void {
  const { feed, url, headers, observer } = ask;
  let isLeft = false;
  feed.hangUp = () => {
    isLeft = true;
    feed.closed();
  };
  const { pathname, search } = new URL(url);
  const probe = () => Promise.reject(new Refusal('UPSTREAM_AUTH', 'WebSocket'));
  const subscribeWith = (fields: authentication.Fields): void => {
    if (isLeft) return;
    const again = (response: IncomingMessage): void => {
      observer?.end(401, 'UPSTREAM_AUTH');
      obtain(ask, credentials, { head: headOf(response), fields });
    };
    const renews = refused === null && credentials.canRenew?.(fields, '') !== false;
    subscribe({
      ...ask,
      headers: authentication.withFields(headers, fields),
      unauthorized: renews ? again : null,
    });
  };
  const call: authentication.CallToAuthorize = {
    method: 'GET',
    target: pathname + search,
    operation: '',
    isUpload: false,
    refused,
    observer: observer?.request ?? null,
    probe,
  };
  Promise.resolve()
    .then(() => credentials.fields(call))
    .then(subscribeWith, (caught: unknown) => feed.failed(asRefusal(caught)));
}

const headOf = ({
  statusCode = 0,
  headers,
  headersDistinct,
}: IncomingMessage): NonNullable<authentication.CallToAuthorize['refused']>['head'] => ({
  status: statusCode,
  header: (name) => String(headers[name] ?? '') || null,
  headers: (name) => headersDistinct[name] ?? [],
});

function subscribe(ask: SocketAsk & OutgoingParts): void {
  const { url, request, connectionParams, feed, observer } = ask;
  const headers =
    observer === null
      ? ask.headers
      : observing.withField(ask.headers, observer.begin(new URL(url), performance.now()));
  const { query, variables } = request;
  const made: OutgoingSocket[] = [];
  const bytes = (): number => made[0]?.messageBytes ?? 0;
  const broken = (): void =>
    feed.failed(new Refusal('UPSTREAM_INVALID_RESPONSE', 'graphql-transport-ws'));
  const stop = subscribeOverSocket({
    url,
    query,
    variables,
    connectionParams,
    socket: class extends OutgoingSocket {
      constructor(address: string, protocol: string) {
        super(address, protocol, { ...ask, headers });
        made.push(this);
      }
    },
    accepted: () => feed.accepted(),
    next: (result) => feed.event(result, bytes()),
    refused(errors) {
      feed.event({ errors }, bytes());
      feed.completed();
    },
    broken() {
      broken();
      if (made.length === 0) {
        feed.closed();
      }
    },
    complete: () => feed.completed(),
  });
  feed.hangUp = () => {
    // Sends `complete` if the connection is open.
    stop();
    made[0]?.close(1000, '');
    observer?.end(feed.isAccepted ? 101 : 0, feed.failure?.code ?? null);
  };
}
