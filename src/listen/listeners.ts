import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { TLSSocket } from 'node:tls';

import { plainAddress } from '../access/network/address.js';
import type { Networks } from '../access/network/networks.js';
import { collections } from '../core/index.js';
import { bind, type ListenAddress } from './bind.js';
import { type HandshakeFailure, handshakeFailureOf } from './handshake-failure.js';
import { takeProxyHeader } from './proxy-protocol.js';
import type { ServerTls } from './server-tls.js';
import type { TicketKeys } from './ticket-keys.js';

/** One address on which connections are accepted. */
export interface Listener {
  readonly address: ListenAddress;
  /** The address as configured. */
  readonly text: string;
  /** Null for clear text. */
  readonly tls: ServerTls | null;
  /** Peers whose connections begin with a PROXY header. */
  readonly proxies: Networks;
}

/** The address of peers at Unix sockets, which have none: they run on the same machine. */
const LOCAL_ADDRESS = '127.0.0.1';

/**
 * A gateway that is gone must not be asked by the network forever: RFC 9293 leaves two hours as the
 * default.
 */
const KEEP_ALIVE_MILLIS = 60_000;

/** Addresses whose handshakes are remembered; beyond, the one longest without one is forgotten. */
const ADDRESSES_MAX = 10_000;

export interface ListenerLimits {
  /** For the PROXY header and the TLS handshake. */
  readonly handshakeMillis: number;
  /** Handshakes per second of one address; 0 is no limit. */
  readonly handshakesPerSecond: number;
  /** Connections of one address that wait for their handshake. */
  readonly connectionsPerClient: number;
}

/** The HTTP server behind the listeners. */
export interface ListenerTarget {
  /** Takes a connection on which HTTP is spoken from now on. */
  accept(socket: Socket): void;
  /** A connection was closed because there are too many. */
  dropped(): void;
  /** A TLS handshake failed, with a client at this address. */
  handshakeFailed(address: string, failure: HandshakeFailure): void;
  /** The certificates of these connections, which were handed on, are no longer accepted. */
  certificatesWithdrawn(sockets: readonly Socket[]): void;
  /** Whether an address is that of a trusted proxy, whose connections are those of many clients. */
  isTrusted(address: string): boolean;
}

/** Accepts connections on several addresses: reads PROXY headers, does TLS, and hands them on. */
export class Listeners {
  /** Connections accepted so far. */
  accepted = 0;
  #limits: ListenerLimits = { handshakeMillis: 0, handshakesPerSecond: 0, connectionsPerClient: 0 };
  #connectionsMax = 0;
  readonly #target: ListenerTarget;
  readonly #tickets: TicketKeys;
  readonly #servers: NetServer[] = [];
  readonly #open = new Set<Socket>();
  /** Read the files of a listener's TLS again. */
  readonly #rereads: (() => Promise<void>)[] = [];
  /** Connections that are not handed on yet, by address. */
  readonly #pending = new Map<string, number>();
  /**
   * Up to when the handshakes of an address use up its rate: the generic cell rate algorithm (ITU-T
   * I.371).
   */
  readonly #paidMillis = new Map<string, number>();

  constructor(target: ListenerTarget, tickets: TicketKeys) {
    this.#target = target;
    this.#tickets = tickets;
  }

  /** Sets the limits of connections to come. */
  configure(limits: ListenerLimits, connectionsMax: number): void {
    this.#limits = limits;
    this.#connectionsMax = connectionsMax;
    for (const server of this.#servers) {
      server.maxConnections = connectionsMax;
    }
  }

  get isListening(): boolean {
    return this.#servers.some(({ listening }) => listening);
  }

  /** Listens on an address; resolves to it as a URL. Rejects with the error of the system. */
  listen(listener: Listener): Promise<string> {
    const server = createServer({
      // As for servers of Node: TLS has no half that could stay open.
      allowHalfOpen: listener.tls === null,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
    });
    server.maxConnections = this.#connectionsMax;
    server.on('drop', () => this.#target.dropped());
    const accept = this.#acceptor(listener);
    server.on('connection', (socket) => {
      this.accepted++;
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      if (this.#open.size > this.#connectionsMax) {
        this.#target.dropped();
        socket.destroy();
      } else {
        accept(socket);
      }
    });
    this.#servers.push(server);
    return bind(server, listener.address, listener.tls === null ? 'http' : 'https');
  }

  /**
   * Reads certificates, authorities and revocation lists again, which is done before handshakes and
   * from time to time.
   */
  async rereadFiles(): Promise<void> {
    await Promise.all(this.#rereads.map((reread) => reread()));
  }

  /** Accepts nothing more; resolves when every connection is closed. */
  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => new Promise((resolve) => server.close(resolve))),
    );
  }

  /** Cuts every connection; returns how many there were. */
  cutAll(): number {
    const { size } = this.#open;
    for (const socket of this.#open) {
      socket.destroy();
    }
    return size;
  }

  /** How the connections of a listener are handed on. */
  #acceptor({ address, tls, proxies }: Listener): (socket: Socket) => void {
    const secure = tls === null ? null : this.#securer(tls);
    const hasPeers = 'host' in address;
    return (socket) => {
      const peer = hasPeers ? plainAddress(socket.remoteAddress ?? '') : LOCAL_ADDRESS;
      nameAddress(socket, peer);
      const isProxied = hasPeers && proxies.has(peer);
      // The common case, at no cost.
      if (!isProxied && secure === null) {
        this.#target.accept(socket);
      } else {
        void this.#prepare(socket, peer, isProxied, secure);
      }
    };
  }

  /** Does for a connection what precedes HTTP, within `handshakeMillis`. */
  async #prepare(
    socket: Socket,
    peer: string,
    isProxied: boolean,
    secure: Securer | null,
  ): Promise<void> {
    const { handshakeMillis } = this.#limits;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      socket.destroy();
    }, handshakeMillis);
    const end = (): void => clearTimeout(timer);
    socket.once('close', end);
    // A reset is an end like any other.
    socket.on('error', ignore);
    try {
      const named = isProxied ? await takeProxyHeader(socket) : null;
      const client = named === null ? peer : plainAddress(named);
      if (secure === null) {
        nameAddress(socket, client);
        socket.off('error', ignore).off('close', end);
        end();
        this.#target.accept(socket);
        return;
      }
      if (this.#target.isTrusted(client) || (await this.#waitForTurn(socket, client))) {
        await secure(socket, client, { end, isLate: () => isLate });
      }
    } catch {
      socket.destroy();
    }
  }

  /**
   * Waits until the rate of an address has room for one more handshake; false where that takes too
   * long.
   */
  async #waitForTurn(socket: Socket, client: string): Promise<boolean> {
    const { handshakesPerSecond, handshakeMillis, connectionsPerClient } = this.#limits;
    if (handshakesPerSecond === 0) return true;
    const nowMillis = performance.now();
    const paidMillis = Math.max(nowMillis, this.#paidMillis.get(client) ?? 0);
    // A second's worth may come at once.
    const waitMillis = paidMillis - nowMillis - 1000;
    const waiting = this.#pending.get(client) ?? 0;
    if (waitMillis >= handshakeMillis || (waitMillis > 0 && waiting >= connectionsPerClient)) {
      this.#target.dropped();
      socket.destroy();
      return false;
    }
    collections.setAndEvictOldest(
      this.#paidMillis,
      client,
      paidMillis + 1000 / handshakesPerSecond,
      ADDRESSES_MAX,
    );
    if (waitMillis <= 0) return true;
    this.#pending.set(client, waiting + 1);
    await new Promise((resolve) => setTimeout(resolve, waitMillis));
    const left = (this.#pending.get(client) ?? 1) - 1;
    if (left === 0) {
      this.#pending.delete(client);
    } else {
      this.#pending.set(client, left);
    }
    return !socket.destroyed;
  }

  /** Does the handshakes of one listener. */
  #securer(tls: ServerTls): Securer {
    const prepared = new WeakMap<object, Prepared>();
    const preparedOf = (socket: TLSSocket): Prepared | undefined => {
      const wrapped: unknown = Reflect.get(socket, '_parent');
      return typeof wrapped === 'object' && wrapped !== null ? prepared.get(wrapped) : undefined;
    };
    const server = tls.makeServer(this.#limits.handshakeMillis, {
      secured: (socket) => {
        const known = preparedOf(socket);
        known?.end();
        nameAddress(socket, known?.address ?? '');
        this.#target.accept(socket);
      },
      failed: (socket, why) => {
        const known = preparedOf(socket);
        const failure =
          why instanceof Error ? handshakeFailureOf(why, known?.isLate() ?? false) : why;
        this.#target.handshakeFailed(known?.address ?? '', failure);
      },
      withdrawn: (sockets) => this.#target.certificatesWithdrawn(sockets),
    });
    this.#rereads.push(() => tls.reread(server));
    return async (socket, address, { end, isLate }) => {
      await tls.refresh(server, this.#tickets);
      if (socket.destroyed) return;
      prepared.set(socket, { address, end, isLate });
      server.emit('connection', socket);
    };
  }
}

/** Begins the handshake of a connection from a client with this address. */
type Securer = (socket: Socket, address: string, limit: TimeLimit) => Promise<void>;

/** The time limit of what precedes HTTP. */
interface TimeLimit {
  /** Ends it. */
  readonly end: () => void;
  /** Whether it was over. */
  readonly isLate: () => boolean;
}

interface Prepared extends TimeLimit {
  readonly address: string;
}

/**
 * Gives a connection the address of its client in its plain form, for all that read it. Sockets
 * that take IPv6 and IPv4 name a client of IPv4 `::ffff:198.51.100.7`.
 */
function nameAddress(socket: Socket, address: string): void {
  if ((socket.remoteAddress ?? '') === address) return;
  Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true });
}

const ignore = (): void => {};
