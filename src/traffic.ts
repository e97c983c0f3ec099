import type { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type { HttpLimits } from './config/listen/http-limits.js';
import { errorCode, httpFields, Refusal, refuseByLimit } from './core/index.js';
import { closeWhenQuiet } from './flow/http/close-when-quiet.js';
import { Connection, type RefusedRequest, type Turn } from './flow/http/connection.js';
import { endConnections } from './flow/http/end-connections.js';
import { parserRefusal } from './flow/http/parser-error.js';
import type { PenaltyBox } from './flow/http/penalty-box.js';
import { nextPollPhase, waitUntilSteady } from './flow/http/poll-phase.js';
import { requestClass, type UpgradeEndpoint } from './flow/http/request-class.js';
import { BACKLOG } from './listen/bind.js';
import { type Listener, Listeners, type ListenerTarget } from './listen/listeners.js';
import type { TicketKeys } from './listen/ticket-keys.js';
import type { RequestHandler } from './request.js';

/**
 * How often deadlines and paces are looked at, at most: Node's default of 30 s makes 10 s into 40.
 */
const LOOK_MILLIS = 500;

/** Connections that one address may have, however few there are for all. */
const CONNECTIONS_OF_ONE = 100;

/**
 * How long connections that wait are accepted at a stop, while others go on to come: these find a
 * worker that stays.
 */
const ACCEPT_MAX_MILLIS = 1000;

/**
 * Reports of the server about connections and requests that no handler sees, and the keys of its
 * TLS sessions.
 */
export interface TrafficHooks {
  /**
   * It is answered with the status of the refusal, or not at all for `CLIENT_GONE`. `address`
   * is that of the connection, `request` null where the bytes were none.
   */
  readonly refused: (
    address: string,
    request: IncomingMessage | null,
    refusal: Refusal,
  ) => RefusedRequest;
  readonly handshakeFailed: ListenerTarget['handshakeFailed'];
  /**
   * So many open connections have lost their certificate, one of this client: what they have open
   * has to end.
   */
  readonly certificatesWithdrawn: (connections: number, client: string) => void;
  readonly tickets: TicketKeys;
}

/**
 * The server for callers: Node's own, with its limits set, and a way to stop without losing a
 * request.
 */
export class TrafficServer {
  readonly #server: Server;
  readonly #listeners: Listeners;
  /**
   * Connections closed at once, because there are too many or the system has no more descriptors.
   */
  droppedConnections = 0;
  readonly #handler: RequestHandler;
  #limits: HttpLimits;
  /** How the names of header fields are written. */
  #fieldCase: httpFields.FieldCase = 'usual';
  readonly #hooks: TrafficHooks;
  readonly #penaltyBox: PenaltyBox;
  readonly #connections = new Map<Duplex, Connection>();
  /** The connections of each address, the oldest first. */
  readonly #ofClients = new Map<string, Set<Connection>>();
  /** Requests that have not been answered to their end. */
  inFlight = 0;
  /** Connections and requests so far: a drain lasts while more of them come. */
  #begun = 0;
  #draining = false;
  readonly #watch: NodeJS.Timeout;

  constructor(
    handler: RequestHandler,
    limits: HttpLimits,
    hooks: TrafficHooks,
    penaltyBox: PenaltyBox,
    upgrades: UpgradeEndpoint | null = null,
    fieldCase: httpFields.FieldCase = 'usual',
  ) {
    this.#handler = handler;
    this.#penaltyBox = penaltyBox;
    this.#limits = limits;
    this.#hooks = hooks;
    const shortest = Math.min(limits.headerMillis, limits.bodyGraceMillis, limits.stallMillis);
    const tinyChunksFound = (request: IncomingMessage): void =>
      this.#connections.get(request.socket)?.break(new Refusal('HTTP_TINY_CHUNKS'), request);
    const lookMillis = Math.min(LOOK_MILLIS, Math.ceil(shortest / 4));
    this.#server = createServer({
      IncomingMessage: requestClass(tinyChunksFound, upgrades),
      ServerResponse: httpFields.responseClass(() => this.#fieldCase),
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: lookMillis,
      // Set outright, because a flag of the process can change the default.
      insecureHTTPParser: false,
      // Ours to answer, with a line in the log.
      requireHostHeader: false,
    });
    // Node drops the fields beyond its own limit without a word, framing fields among them; ours
    // refuses the request.
    this.#server.maxHeadersCount = 0;
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      this.#serve({ request, response });
    this.#server.on('request', serve).on('checkContinue', serve).on('checkExpectation', serve);
    this.#server.on('connection', (socket) => this.#connected(socket));
    this.#server.on('clientError', (error, socket) => this.#broken(error, socket));
    this.#server.on('connect', (request, socket) => this.#tunnel(request, socket));
    if (upgrades !== null) {
      this.#server.on('upgrade', (request, socket, head) =>
        this.#upgrade(upgrades, request, socket, head),
      );
    }
    // Node enforces its deadlines once the server listens, which its listeners do for it.
    this.#server.emit('listening');
    this.#watch = setInterval(() => this.#look(), lookMillis).unref();
    const target = {
      accept: (socket: Socket) => this.#server.emit('connection', socket),
      dropped: () => this.droppedConnections++,
      handshakeFailed: hooks.handshakeFailed,
      certificatesWithdrawn: (sockets: readonly Socket[]) =>
        endConnections(sockets, this.#connections, hooks.certificatesWithdrawn),
      isTrusted: (address: string) => penaltyBox.isTrusted(address),
    };
    this.#listeners = new Listeners(target, hooks.tickets);
    this.configure(limits, fieldCase);
  }

  get isListening(): boolean {
    return this.#listeners.isListening;
  }

  /** Listens on one more address; resolves to it as a URL. Rejects with the error of the system. */
  listen(listener: Listener): Promise<string> {
    return this.#listeners.listen(listener);
  }

  /**
   * Sets the limits of connections and of requests to come, the case of field names, and reads
   * files of TLS again; `headerBytes` is that of the start.
   */
  configure(limits: HttpLimits, fieldCase: httpFields.FieldCase = 'usual'): void {
    this.#fieldCase = fieldCase;
    const connections = Math.min(limits.connections, Math.floor(readDescriptorLimit() / 2));
    const ofOne = Math.max(CONNECTIONS_OF_ONE, Math.floor(connections / 2));
    this.#limits = {
      ...limits,
      connectionsPerClient: Math.min(limits.connectionsPerClient, ofOne),
    };
    this.#server.headersTimeout = Math.min(limits.headerMillis, limits.totalMillis);
    this.#server.requestTimeout = limits.totalMillis;
    // `Keep-Alive` says whole seconds, and some clients use a connection up to the last moment: it
    // stays open until just before the next second.
    this.#server.keepAliveTimeout = 1000 * Math.floor(limits.idleMillis / 1000) + 999;
    this.#listeners.configure(this.#limits, connections);
    void this.#listeners.rereadFiles();
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Stops: no new connection, requests in flight finish, and a request that comes on a kept
   * connection meanwhile is answered with `Connection: close`. Resolves to the number of
   * connections that had to be cut at the deadline. `turn` waits for a turn of the event loop that
   * accepts connections, in this process or its parent.
   */
  async drain(deadlineMillis: number, turn = nextPollPhase): Promise<number> {
    this.#draining = true;
    for (const { current } of this.#connections.values()) {
      if (current !== null) {
        current.response.shouldKeepAlive = false;
      }
    }
    this.#penaltyBox.close();
    let forced = 0;
    const deadline = setTimeout(() => {
      forced = this.#listeners.cutAll();
    }, deadlineMillis);
    // Connections that wait to be accepted are reset when the listener closes.
    const waitMillis = Math.min(ACCEPT_MAX_MILLIS, deadlineMillis);
    await waitUntilSteady(() => this.#listeners.accepted, BACKLOG, waitMillis, turn);
    // Not http.Server.close(): it would cut kept connections on which a request may be on its way.
    const closed = this.#listeners.close();
    const stopClosing = closeWhenQuiet(this.#server, () =>
      this.inFlight === 0 ? this.#begun : null,
    );
    await closed;
    clearTimeout(deadline);
    stopClosing();
    clearInterval(this.#watch);
    this.#server.close();
    return forced;
  }

  #connected(socket: Socket): void {
    const connection = new Connection(socket, this.#answered);
    const { client } = connection;
    this.#connections.set(socket, connection);
    // A TLS handshake may end behind the begin of a drain: then its first request is still to come.
    this.#begun++;
    const own = this.#ofClients.get(client) ?? new Set();
    this.#ofClients.set(client, own.add(connection));
    socket.once('close', () => {
      this.#connections.delete(socket);
      own.delete(connection);
      if (own.size === 0) {
        this.#ofClients.delete(client);
      }
    });
    // The connections of a trusted proxy are those of many clients.
    if (own.size > this.#limits.connectionsPerClient && !this.#penaltyBox.isTrusted(client)) {
      this.#limit(own, connection);
    }
  }

  /**
   * Over the limit of an address, refuses the connection that has been open longest without a whole
   * request.
   */
  #limit(own: ReadonlySet<Connection>, newest: Connection): void {
    let open = 0;
    let refused: Connection | null = null;
    let wordless: Connection | null = null;
    for (const connection of own) {
      if (connection.isOver || connection.isBroken) {
        refused ??= connection;
      } else {
        open++;
        if (!connection.hasBrought) {
          wordless ??= connection;
        }
      }
    }
    const { connectionsPerClient } = this.#limits;
    if (own.size > 2 * connectionsPerClient) {
      this.droppedConnections++;
      (refused ?? newest).socket.destroy();
    }
    if (open <= connectionsPerClient) return;
    const key = 'limits.http.connectionsPerClient';
    this.#refuse(
      wordless ?? newest,
      null,
      refuseByLimit('HTTP_CONNECTIONS', key, connectionsPerClient),
    );
  }

  /**
   * Requests of one connection are handled one after the other, whenever they come: backends need
   * not cope with more.
   */
  #serve(turn: Turn): void {
    const connection = this.#connections.get(turn.request.socket);
    if (connection === undefined) return;
    if (connection.isOver) {
      this.#unserved(connection, turn);
    } else if (connection.current === null) {
      this.#begin(connection, turn);
    } else if (connection.requests + connection.waitingCount < this.#limits.requestsPerConnection) {
      connection.wait(turn);
    } else {
      // The last answer will close the connection. Nothing more is read, so that what is dropped
      // here is one packet.
      connection.socket.pause();
      this.#unserved(connection, turn);
    }
  }

  #begin(connection: Connection, turn: Turn): void {
    const { request, response } = turn;
    const ending = connection.begin(turn);
    this.inFlight++;
    this.#begun++;
    if (this.#draining || connection.requests >= this.#limits.requestsPerConnection) {
      response.shouldKeepAlive = false;
    }
    void this.#handler(request, response, ending);
    connection.reportToReader();
  }

  readonly #answered = (connection: Connection): void => {
    this.inFlight--;
    connection.isProven = (connection.current?.response.statusCode ?? 500) < 400;
    connection.current = null;
    if (connection.isEnding) {
      connection.socket.destroySoon();
    }
    let next = connection.next();
    if (connection.isOver) {
      for (; next !== null; next = connection.next()) {
        this.#unserved(connection, next);
      }
    } else if (next !== null) {
      this.#begin(connection, next);
    } else if (connection.refusalDue !== null) {
      this.#answer(connection, connection.refusalDue);
    }
  };

  /** A request whose turn never came, for the connection ended before. */
  #unserved(connection: Connection, { request }: Turn): void {
    if (connection.isRefused) return;
    this.#hooks.refused(
      connection.client,
      request,
      new Refusal('CLIENT_GONE', 'after the last answer'),
    );
  }

  /** Node's parser, or one of its deadlines, reports that the bytes are no request. */
  #broken(error: Error, socket: Duplex): void {
    const code = errorCode(error) ?? '';
    const connection = this.#connections.get(socket);
    const isOfHttp = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // A connection that breaks is no request, and one that never brought a byte wants no answer.
    if (connection === undefined || !isOfHttp || connection.socket.bytesRead === 0) {
      socket.destroy();
    } else {
      this.#refuse(
        connection,
        null,
        parserRefusal(error, code, this.#limits, connection.current !== null),
      );
    }
  }

  #tunnel(request: IncomingMessage, socket: Duplex): void {
    // Node has detached from it: without a listener an error of the connection would end the
    // process.
    socket.on('error', () => socket.destroy());
    const connection = this.#connections.get(socket);
    if (connection === undefined) {
      socket.destroy();
    } else {
      this.#refuse(connection, request, new Refusal('HTTP_METHOD'));
    }
  }

  #upgrade(
    endpoint: UpgradeEndpoint,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): void {
    socket.on('error', () => socket.destroy());
    const connection = this.#connections.get(socket);
    // It counts as a connection until it closes, and no request can come on it any more.
    if (connection === undefined || connection.isOver) {
      socket.destroy();
    } else if (this.#draining) {
      this.#refuse(connection, request, new Refusal('GATEWAY_DRAINING'));
    } else if (connection.current !== null) {
      this.#refuse(connection, request, new Refusal('HTTP_BAD_REQUEST', 'ahead'));
    } else {
      const refusal = endpoint.take(request, socket, head);
      connection.isUpgraded = refusal === null;
      if (refusal !== null) {
        this.#refuse(connection, request, refusal);
      }
    }
  }

  #refuse(connection: Connection, request: IncomingMessage | null, refusal: Refusal): void {
    if (connection.isOver) return;
    if (connection.current === null) {
      this.#answer(connection, refusal, request);
    } else {
      connection.break(refusal);
    }
  }

  #answer(connection: Connection, refusal: Refusal, request: IncomingMessage | null = null): void {
    const refused = this.#hooks.refused(connection.client, request, refusal);
    // Failures of the gateway do not count against the client.
    const { socket } = connection;
    void connection.answer(
      refusal,
      refused,
      refusal.isOfCaller
        ? this.#penaltyBox.penalise(socket, { bytes: socket.bytesRead, workMillis: 0 })
        : null,
    );
  }

  #look(): void {
    const nowMillis = performance.now();
    for (const connection of this.#connections.values()) {
      connection.look(this.#limits, nowMillis);
    }
  }
}

/** Reads how many open files the system allows this process; infinity where that is not known. */
function readDescriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
