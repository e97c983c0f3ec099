import { Agent, type IncomingMessage, request } from 'node:http';

import { type Behaviour, behaviourOf, callOf, replyOf, requestOf } from './desync-calls.js';

/** How calls ended. */
export interface DesyncFound {
  /** With the reply of this very call. */
  own: number;
  /** With a Fault of the gateway, by its code. */
  readonly faults: Map<string, number>;
  /** The caller's connection was cut; what came before was its own. */
  cut: number;
  /**
   * Calls that got content of another exchange: the call, whose content, and what the backend does
   * with that one.
   */
  readonly foreign: {
    readonly call: number;
    readonly of: number | null;
    readonly behaviour: Behaviour;
  }[];
}

/** Makes these calls through a gateway, so many at once. */
export async function runDesyncCallers(
  url: string,
  calls: Iterable<number>,
  callers: number,
): Promise<DesyncFound> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const found: DesyncFound = { own: 0, faults: new Map(), cut: 0, foreign: [] };
  const left = calls[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      count(found, next.value, await post(agent, url, next.value));
    }
  };
  await Promise.all(Array.from({ length: callers }, work));
  agent.destroy();
  return found;
}

interface Got {
  readonly status: number;
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

function post(agent: Agent, url: string, call: number): Promise<Got> {
  return new Promise((resolve) => {
    const body = requestOf(call);
    const headers = {
      'content-type': 'text/xml; charset=utf-8',
      'content-length': body.length,
      soapaction: '""',
    };
    const sending = request(url, { method: 'POST', agent, headers });
    let head: IncomingMessage | null = null;
    const chunks: Buffer[] = [];
    const end = (isWhole: boolean): void => {
      resolve({ status: head?.statusCode ?? 0, bytes: Buffer.concat(chunks), isWhole });
    };
    sending.on('response', (response) => {
      head = response;
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => end(true))
        .on('error', () => end(false));
    });
    // An answer that came before the end of the request is read all the same.
    sending.on('error', () => setImmediate(() => head === null && end(false)));
    sending.end(body);
  });
}

function count(found: DesyncFound, call: number, { status, bytes, isWhole }: Got): void {
  const reply = replyOf(call);
  const [, code] = / code="([^"]+)"/.exec(bytes.toString('latin1', 0, 2_000)) ?? [];
  if (status !== 200 && code !== undefined)
    found.faults.set(code, (found.faults.get(code) ?? 0) + 1);
  else if (isWhole && status === 200 && bytes.equals(reply)) found.own++;
  else if (!isWhole && bytes.equals(reply.subarray(0, bytes.length))) found.cut++;
  else {
    const of = callOf(bytes);
    found.foreign.push({ call, of, behaviour: behaviourOf(of ?? call) });
  }
}
