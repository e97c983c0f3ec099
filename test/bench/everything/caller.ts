import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';

/** One answer, complete. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** An answer did not come, or broke off. */
export class NoAnswer extends Error {
  readonly reason: string;
  /** Its connection had had requests before: it may have been closed as idle. */
  readonly isReused: boolean;

  constructor(reason: string, isReused = false) {
    super(reason);
    this.reason = reason;
    this.isReused = isReused;
  }
}

export interface Asked {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A request without an answer for so long hangs. */
const HANG_MILLIS = 60_000;
const SOCKETS = 40;

/** The connections of all callers to the gateway, over TLS. */
export class Connections {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, ca: string) {
    this.#url = url;
    this.#agent = new Agent({ ca, keepAlive: true, maxSockets: SOCKETS });
  }

  /** Rejects with `NoAnswer`. */
  ask({ method = 'POST', path, type, headers = {}, body = '' }: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const fields = {
        ...headers,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) }),
      };
      const sent = request(this.#url + path, { method, agent: this.#agent, headers: fields });
      const hang = setTimeout(() => sent.destroy(new NoAnswer('hangs')), HANG_MILLIS);
      const fail = (error: Error & { readonly code?: string }): void => {
        clearTimeout(hang);
        const reason = error.code ?? error.message;
        reject(error instanceof NoAnswer ? error : new NoAnswer(reason, sent.reusedSocket));
      };
      sent.on('error', fail);
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(hang);
          const whole = Buffer.concat(chunks);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: whole,
            text: whole.toString('latin1'),
          });
        });
      });
      sent.end(method === 'GET' ? undefined : body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
