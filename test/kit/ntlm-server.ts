import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { negotiateMessage, ntowfv2 } from '../../src/upstream/credentials/ntlm/messages.js';

/** A request that a backend got on an authenticated connection. */
export interface NtlmMessage {
  readonly user: string;
  readonly body: string;
  readonly authorization: string | null;
  readonly request: IncomingMessage;
}

export interface NtlmServerOptions {
  /** Passwords by user. */
  readonly accounts: Readonly<Record<string, string>>;
  readonly domain?: string;
  readonly scheme?: 'NTLM' | 'Negotiate';
  /** Sends its time, and demands a check sum of the messages. */
  readonly hasTime?: boolean;
  /** Refuses the end of each handshake before it reads the body. */
  readonly refusesProofs?: boolean;
  readonly answer: (message: NtlmMessage, response: ServerResponse) => void;
}

export interface NtlmServer {
  readonly url: string;
  /** First messages of handshakes. */
  begun: number;
  /** Handshakes that failed. */
  failed: number;
  /** Bodies that came on a connection that was not authenticated. */
  early: number;
  readonly sockets: ReadonlyMap<Socket, string>;
  /** Forgets who its connections are from, as after a restart of the application. */
  forget(): void;
  /** Closes a connection after the next challenge. */
  closesAfterChallenge: number;
  close(): Promise<void>;
}

/**
 * A backend that authenticates connections by NTLM, version 2, as strictly as [MS-NLMP] section
 * 3.2.5.1.2 says.
 */
export async function startNtlmServer(options: NtlmServerOptions): Promise<NtlmServer> {
  const { scheme = 'NTLM', refusesProofs = false } = options;
  const users = new Map<Socket, string>();
  const handshakes = new Map<Socket, Handshake>();
  const server = createServer((request, response) => {
    const refuse = (challenge: string, isLast: boolean): void => {
      response.writeHead(401, {
        'www-authenticate': challenge,
        'content-type': 'text/html',
        ...(isLast && { connection: 'close' }),
      });
      response.end('<html>no</html>');
    };
    if (refusesProofs && handshakes.has(request.socket)) {
      state.failed++;
      refuse(scheme, false);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { socket, headers } = request;
      const body = Buffer.concat(chunks).toString();
      const authorization = headers.authorization ?? null;
      const token = new RegExp(`^${scheme} (.+)$`).exec(authorization ?? '')?.[1];
      if (token !== undefined) {
        users.delete(socket);
        const message = Buffer.from(token, 'base64');
        const handshake = handshakes.get(socket);
        if (message.readUInt32LE(8) === 1) {
          state.begun++;
          const begun = beginHandshake(message, options);
          handshakes.set(socket, begun);
          if (body !== '') state.early++;
          const mustClose = state.closesAfterChallenge > 0;
          if (mustClose) state.closesAfterChallenge--;
          refuse(`${scheme} ${begun.challenge.toString('base64')}`, mustClose);
          return;
        }
        const user = handshake === undefined ? null : userOf(message, handshake, options);
        handshakes.delete(socket);
        if (user === null) state.failed++;
        else users.set(socket, user);
        socket.once('close', () => users.delete(socket));
      }
      const user = users.get(socket);
      if (user === undefined) {
        if (body !== '') state.early++;
        refuse(scheme, false);
        return;
      }
      options.answer({ user, body, authorization, request }, response);
    });
    request.on('error', () => {});
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const state: NtlmServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begun: 0,
    failed: 0,
    early: 0,
    sockets: users,
    closesAfterChallenge: 0,
    forget: () => users.clear(),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
  return state;
}

type Handshake = ReturnType<typeof beginHandshake>;

function beginHandshake(negotiate: Buffer, { domain = 'CORP', hasTime = true }: NtlmServerOptions) {
  const serverChallenge = randomBytes(8);
  const pairs = [
    pair(2, Buffer.from(domain, 'utf16le')),
    pair(1, Buffer.from('SERVER', 'utf16le')),
  ];
  if (hasTime) pairs.push(pair(7, Buffer.from('0011223344556601', 'hex')));
  const info = Buffer.concat([...pairs, pair(0, Buffer.alloc(0))]);
  const head = Buffer.alloc(56);
  head.write('NTLMSSP\0', 'latin1');
  head.writeUInt32LE(2, 8);
  head.writeUInt32LE(56, 16);
  head.writeUInt32LE(0xe28a8235, 20);
  serverChallenge.copy(head, 24);
  head.writeUInt16LE(info.length, 40);
  head.writeUInt16LE(info.length, 42);
  head.writeUInt32LE(56, 44);
  return { negotiate, challenge: Buffer.concat([head, info]), serverChallenge };
}

function pair(id: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

/** The user of an AUTHENTICATE_MESSAGE that is right; else null. */
function userOf(
  message: Buffer,
  { negotiate, challenge, serverChallenge }: Handshake,
  { accounts, hasTime = true }: NtlmServerOptions,
): string | null {
  const field = (at: number): Buffer => {
    const start = message.readUInt32LE(at + 4);
    return message.subarray(start, start + message.readUInt16LE(at));
  };
  const [response, domain, user] = [
    field(20),
    field(28).toString('utf16le'),
    field(36).toString('utf16le'),
  ];
  const password = accounts[user.toLowerCase()];
  if (password === undefined) return null;
  const key = ntowfv2({ user, domain, password });
  const proof = hmac(key, serverChallenge, response.subarray(16));
  if (!proof.equals(response.subarray(0, 16))) return null;
  if (hasTime) {
    const check = Buffer.from(message.subarray(72, 88));
    const unsigned = Buffer.from(message);
    unsigned.fill(0, 72, 88);
    if (!hmac(hmac(key, proof), negotiate, challenge, unsigned).equals(check)) return null;
  }
  return domain === '' ? user : `${domain}\\${user}`;
}

function hmac(key: Buffer, ...parts: readonly Buffer[]): Buffer {
  const made = createHmac('md5', key);
  for (const part of parts) made.update(part);
  return made.digest();
}

/** A first message, as clients send it. */
export const firstMessage = (): string => `NTLM ${negotiateMessage().toString('base64')}`;
