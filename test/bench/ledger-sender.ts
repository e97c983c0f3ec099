import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { buildConnector, Client, type Dispatcher } from 'undici';

import { SLOW_EVERY } from './ledger-backend.js';

/** Connections that are kept, and used in turn: each several times a second. */
const CONNECTIONS = 20;
const ANSWER_MILLIS = 10_000;

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

/** One message, and what came of it. */
export interface Sent {
  readonly id: number;
  /** Whether its event is due: it is a write. */
  readonly isWrite: boolean;
  readonly atMillis: number;
  /** Negative while it is in flight. */
  millis: number;
  /** Null: answered as it should be. */
  failure: string | null;
  /** The local port of its connection; 0 before it is connected. */
  port: number;
  /** It was in flight in a worker that was killed. */
  isCut: boolean;
  /** It was sent on a connection of a worker that had been killed, before the reset came. */
  isLate: boolean;
}

interface Message {
  readonly path: string;
  readonly headers: string[];
  readonly body: string;
  readonly expected: string;
}

const soap = (operation: string, id: number): Message => ({
  path: '/soap/ledger',
  headers: ['content-type', 'text/xml; charset=utf-8', 'soapaction', '""'],
  body:
    `<s:Envelope xmlns:s="${SOAP}"><s:Body><${operation} xmlns="urn:ledger"><id>${id}</id>` +
    `</${operation}></s:Body></s:Envelope>`,
  expected: `>${id}</`,
});

const graphql = (kind: string, field: string, id: number): Message => ({
  path: '/graphql',
  headers: ['content-type', 'application/json', 'accept', 'application/graphql-response+json'],
  body: JSON.stringify({ query: `${kind} ($id: Int!) { ${field}(id: $id) }`, variables: { id } }),
  expected: `"${field}":${id}`,
});

/**
 * Messages in turn: SOAP and GraphQL, reads and writes. Other proxies get the same number, SOAP
 * only.
 */
function messageOf(id: number, isSoapOnly: boolean): Message {
  const isWrite = id % 2 === 0;
  const isSoap = isSoapOnly || id % 4 < 2;
  if (isSoap) return soap(isWrite ? 'Post' : 'Read', id);
  return isWrite ? graphql('mutation', 'post', id) : graphql('query', 'entry', id);
}

/** One kept connection: undici connects it again when it was closed. */
class Lane {
  readonly #client: Client;
  /** Its message that is not answered. */
  current: Sent | null = null;
  port = 0;

  constructor(url: string) {
    const connect = buildConnector({ timeout: ANSWER_MILLIS });
    this.#client = new Client(url, {
      pipelining: 1,
      headersTimeout: ANSWER_MILLIS,
      bodyTimeout: ANSWER_MILLIS,
      keepAliveTimeout: 60_000,
      connect: (options, callback) =>
        connect(options, (...[error, socket]) => {
          if (error !== null) return callback(error, null);
          this.port = (socket as Socket).localPort ?? 0;
          if (this.current !== null) {
            this.current.port = this.port;
            this.current.isLate = false;
          }
          callback(null, socket);
        }),
    });
  }

  send({ path, headers, body, expected }: Message, sent: Sent): void {
    this.current = sent;
    const end = (failure: string | null): void => {
      sent.millis = performance.now() - sent.atMillis;
      sent.failure = failure;
      this.current = null;
    };
    let status = 0;
    let text = '';
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, code) {
        status = code;
      },
      onResponseData(_controller, chunk) {
        text += chunk.toString('latin1');
      },
      onResponseEnd: () =>
        end(status === 200 && text.includes(expected) ? null : `${status} ${codeIn(text)}`),
      onResponseError: (_controller, error) =>
        end('code' in error ? String(error.code) : error.message),
    };
    this.#client.dispatch({ method: 'POST', path, headers, body }, handler);
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }
}

const codeIn = (text: string): string => /[A-Z]+_[A-Z_]+/.exec(text)?.[0] ?? '';

/** Sends messages at a constant rate, whether or not earlier ones are answered. */
export class Sender {
  readonly sent: Sent[] = [];
  readonly #lanes: Lane[];
  readonly #url: string;
  readonly #isSoapOnly: boolean;
  #turn = 0;
  #nextId: number;
  #timer: NodeJS.Timeout;
  #dead: ReadonlySet<number> = new Set();

  /** `firstId` is the first of the ids, which no other sender uses. */
  constructor(
    url: string,
    options: { readonly isSoapOnly: boolean; readonly firstId: number; readonly rate: number },
  ) {
    this.#url = url;
    this.#isSoapOnly = options.isSoapOnly;
    this.#nextId = options.firstId;
    this.#lanes = Array.from({ length: CONNECTIONS }, () => new Lane(url));
    const startMillis = performance.now();
    let count = 0;
    this.#timer = setInterval(() => {
      const due = ((performance.now() - startMillis) * options.rate) / 1000;
      for (; count < due; count++) this.#sendOne();
    }, 1000 / options.rate);
  }

  get nextId(): number {
    return this.#nextId;
  }

  #sendOne(): void {
    const lane = this.#freeLane();
    const id = this.#nextId++;
    const { port } = lane;
    const isLate = this.#dead.has(port);
    const atMillis = performance.now();
    const sent: Sent = {
      id,
      isWrite: id % 2 === 0,
      atMillis,
      millis: -1,
      failure: null,
      port,
      isCut: false,
      isLate,
    };
    this.sent.push(sent);
    lane.send(messageOf(id, this.#isSoapOnly), sent);
  }

  #freeLane(): Lane {
    for (let tried = 0; tried < this.#lanes.length; tried++) {
      const lane = this.#lanes[this.#turn++ % this.#lanes.length];
      if (lane?.current === null) return lane;
    }
    const lane = new Lane(this.#url);
    this.#lanes.push(lane);
    return lane;
  }

  /**
   * Kills a process, and notes what was in flight on its connections. Returns how many that were.
   */
  kill(pid: number): number {
    const { port } = new URL(this.#url);
    const ports = clientPortsOf(pid, Number(port));
    let count = 0;
    for (const { current } of this.#lanes) {
      if (current === null || !ports.has(current.port)) continue;
      current.isCut = true;
      count++;
    }
    this.#dead = ports;
    process.kill(pid, 'SIGKILL');
    return count;
  }

  /** Sends nothing more; resolves when everything is answered or has failed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    while (this.#lanes.some(({ current }) => current !== null)) await wait(20);
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}

/** The ports of clients whose connections to `port` a process of this machine has. */
function clientPortsOf(pid: number, port: number): ReadonlySet<number> {
  const sockets = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1];
      if (inode !== undefined) sockets.add(inode);
    } catch {
      // It was closed meanwhile.
    }
  }
  const found = new Set<number>();
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
    const [, local = '', remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
    if (sockets.has(inode) && Number.parseInt(local.slice(-4), 16) === port)
      found.add(Number.parseInt(remote.slice(-4), 16));
  }
  return found;
}

/** The answers that count for latency: late ones of the backend do not. */
export const isTimed = ({ id, failure, millis }: Sent): boolean =>
  id % SLOW_EVERY !== 0 && failure === null && millis >= 0;
