import type { CancelSignal } from '../../core/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { StreamedAnswer } from '../http/streamed-answer.js';
import type { Confirmed, PendingConfirmations } from './pending-confirmations.js';

/**
 * Between two comments of a stream that waits: proxies end connections that are still for a minute.
 */
const COMMENT_MILLIS = 15_000;

/**
 * The answer to a message as an event stream: a question to the client first, then the response.
 */
export class QuestionStream {
  readonly #asked: HttpExchange;
  readonly #answer: StreamedAnswer;

  constructor(asked: HttpExchange) {
    this.#asked = asked;
    this.#answer = new StreamedAnswer(asked, [
      ...['content-type', 'text/event-stream', 'x-accel-buffering', 'no'],
    ]);
  }

  get hasBegun(): boolean {
    return this.#answer.hasBegun;
  }

  /** Asks, and waits for the answer of the client. */
  async ask(
    params: Readonly<Record<string, unknown>>,
    pending: PendingConfirmations,
    limits: { readonly max: number; readonly millis: number },
    signal: CancelSignal,
  ): Promise<Confirmed> {
    const { id } = this.#asked.caller.client;
    const timer = setInterval(() => {
      if (this.hasBegun) {
        this.#answer.write(': waiting\n\n');
      }
    }, COMMENT_MILLIS);
    try {
      return await pending.wait(id, limits, signal, (question) =>
        this.write({ jsonrpc: '2.0', id: question, method: 'elicitation/create', params }),
      );
    } finally {
      clearInterval(timer);
    }
  }

  write(message: unknown): void {
    this.#answer.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  end(message: unknown): void {
    this.write(message);
    this.#answer.end();
  }
}
