import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import {
  authenticateMessage,
  negotiateMessage,
  readChallengeMessage,
} from '../../src/upstream/credentials/ntlm/messages.js';
import { startTestGateway } from './gateway.js';
import { startNtlmServer } from './ntlm-server.js';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

export const envelope = (sku: string): string =>
  `<s:Envelope xmlns:s="${SOAP}"><s:Body><GetStock xmlns="urn:shop"><sku>${sku}</sku>` +
  '</GetStock></s:Body></s:Envelope>';

export const replyOf = (user: string, sku: string): string =>
  `<s:Envelope xmlns:s="${SOAP}"><s:Body><GetStockResponse xmlns="urn:shop"><stock>` +
  `${user} ${sku}</stock></GetStockResponse></s:Body></s:Envelope>`;

export interface CallerAnswer {
  readonly head: IncomingMessage;
  readonly text: string;
}

/** A caller with one connection, unless it may have more. */
export class Caller {
  readonly #agent: HttpAgent;
  readonly #url: string;

  constructor(url: string, maxSockets = 1) {
    this.#agent = new HttpAgent({ keepAlive: true, maxSockets });
    this.#url = `${url}/soap/shop`;
  }

  async post(body: string, authorization: string | null = null): Promise<CallerAnswer> {
    const headers = {
      'content-type': 'text/xml',
      'content-length': Buffer.byteLength(body),
      soapaction: '""',
      ...(authorization !== null && { authorization }),
    };
    const request: ClientRequest = httpRequest(this.#url, {
      method: 'POST',
      agent: this.#agent,
      headers,
    });
    request.end(body);
    const head = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject);
    });
    let text = '';
    for await (const chunk of head) text += String(chunk);
    return { head, text };
  }

  /** The handshake of clients: the body comes with the last message. */
  async login(user: string, password: string, body: string): Promise<CallerAnswer> {
    const negotiate = negotiateMessage();
    const { head } = await this.post('', `NTLM ${negotiate.toString('base64')}`);
    const token = /^NTLM (.+)$/.exec(head.headers['www-authenticate'] ?? '')?.[1] ?? '';
    const message = authenticateMessage(
      { user, domain: 'CORP', password },
      negotiate,
      readChallengeMessage(Buffer.from(token, 'base64')),
      { name: 'HTTP/shop', channelBindings: null },
      { clientChallenge: Buffer.alloc(8, user), time: Buffer.alloc(8) },
    );
    return this.post(body, `NTLM ${message.toString('base64')}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}

export interface CallersOptions {
  readonly identities: number;
  /** Of each identity, all at once. */
  readonly callers: number;
  /** Of each caller. */
  readonly calls: number;
  /** The backend cuts a connection at every so many calls. */
  readonly cutEvery: number;
}

export interface CallersResult {
  calls: number;
  answered: number;
  /** Calls that a backend saw under another identity than that of their caller. */
  wrongIdentity: number;
  /** Replies to another caller, or to another call. */
  wrongReply: number;
  /** Calls whose connection was cut by the backend, and how many it cut. */
  cut: number;
  cutByBackend: number;
  /** Calls without an answer of the gateway. */
  lost: number;
  /** Other answers. */
  refused: number;
  handshakes: number;
}

/** How many calls a caller makes before it takes another connection. */
const CALLS_PER_CONNECTION = 7;

/**
 * Callers of many identities at one service with `passthrough`; the backend checks which identity
 * each call has.
 */
export async function runCallers({
  identities,
  callers,
  calls,
  cutEvery,
}: CallersOptions): Promise<CallersResult> {
  const found: CallersResult = {
    calls: 0,
    answered: 0,
    wrongIdentity: 0,
    wrongReply: 0,
    cut: 0,
    cutByBackend: 0,
    lost: 0,
    refused: 0,
    handshakes: 0,
  };
  const names = Array.from({ length: identities }, (_, index) => `user${index}`);
  let seen = 0;
  const server = await startNtlmServer({
    accounts: Object.fromEntries(names.map((name) => [name, `password of ${name}`])),
    answer: ({ user, body, request }, response) => {
      const sku = /<sku>(.*)<\/sku>/.exec(body)?.[1] ?? '';
      if (!sku.startsWith(`${user.slice('CORP\\'.length)}.`)) found.wrongIdentity++;
      if (++seen % cutEvery === 0) {
        found.cutByBackend++;
        request.socket.destroy();
      } else response.writeHead(200, { 'content-type': 'text/xml' }).end(replyOf(user, sku));
    },
  });
  const gateway = await startTestGateway(`services:
  shop:
    url: ${server.url}/shop
    namespace: urn:shop
    types: "type Query { stock(sku: String!): String }"
    operations:
      GetStock: { field: Query.stock, read: {} }
    auth: { passthrough: true }
limits:
  upstream: { boundConnections: ${identities * callers}, breakerFailures: 0 }
  http: { connectionsPerClient: ${identities * callers * 2} }
`);
  const call = async (
    caller: Caller,
    name: string,
    sku: string,
    isLoggedIn: boolean,
  ): Promise<CallerAnswer> => {
    const first = isLoggedIn ? await caller.post(envelope(sku)) : null;
    return first === null || first.head.statusCode === 401
      ? caller.login(name, `password of ${name}`, envelope(sku))
      : first;
  };
  const work = async (name: string, index: number): Promise<void> => {
    let caller = new Caller(gateway.url);
    let isCut = false;
    for (let count = 0; count < calls; count++) {
      const isFirst = isCut || count === 0 || (count + index) % CALLS_PER_CONNECTION === 0;
      isCut = false;
      if (isFirst) {
        caller.close();
        caller = new Caller(gateway.url);
      }
      const sku = `${name}.${index}.${count}`;
      found.calls++;
      const answer = await call(caller, name, sku, !isFirst).catch(() => null);
      if (answer === null) {
        found.lost++;
        isCut = true;
        continue;
      }
      const { head, text } = answer;
      if (head.statusCode === 200) {
        found.answered++;
        if (!text.includes(`<stock>CORP\\${name} ${sku}</stock>`)) found.wrongReply++;
      } else if (/UPSTREAM_(?:RESET|TRUNCATED)/.test(text)) found.cut++;
      else found.refused++;
    }
    caller.close();
  };
  try {
    await Promise.all(
      names.flatMap((name) => Array.from({ length: callers }, (_, index) => work(name, index))),
    );
  } finally {
    found.handshakes = server.begun;
    await gateway.close();
    await server.close();
  }
  return found;
}
