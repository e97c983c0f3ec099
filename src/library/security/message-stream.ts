import { Buffer } from 'node:buffer';
import { TimeSlices } from '../../core/index.js';
import { messageErrorOf } from './message-error.js';

/** A message on its way through a stream. Steps throw what ends the stream. */
export interface StreamedMessage {
  /** Takes a part of at most `PART_BYTES`. */
  write(part: Buffer): void;
  /** Whether bytes were collected that can be read by `work`. */
  readonly hasWork: boolean;
  work(): void;
  /** The message is over. */
  end(): void | Promise<void>;
  /** Takes what may go on. */
  take(): readonly Buffer[] | Promise<readonly Buffer[]>;
}

/** Bytes that are read in one turn: they take less than a time slice. */
const PART_BYTES = 16 * 1024;

/** All messages take turns. */
const slices = new TimeSlices();

/** The two sides of a stream through which one message goes. */
export interface MessageStream {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
}

/**
 * A stream through which one message goes. `open` is called with its beginning. `ended` is called
 * at its end; `failed` where it has none: with its error, or why one of the sides was left.
 */
export function messageStream(
  open: () => Promise<StreamedMessage>,
  report: { failed(error: unknown): void; ended(): void },
): MessageStream {
  let message: StreamedMessage | null = null;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (caught) {
      throw messageErrorOf(caught);
    }
  };
  const opened = async (): Promise<StreamedMessage> => {
    message ??= await open();
    return message;
  };
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) =>
      attempt(async () => {
        const current = await opened();
        const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        for (let at = 0; at < bytes.length; at += PART_BYTES) {
          await slices.pause();
          current.write(bytes.subarray(at, at + PART_BYTES));
          await pass(current, controller);
        }
      }),
    flush: (controller) =>
      attempt(async () => {
        const current = await opened();
        await current.end();
        await pass(current, controller);
        report.ended();
      }),
  });
  const writer = writable.getWriter();
  writer.closed.catch((error: unknown) => report.failed(error));
  const side = new WritableStream<Uint8Array>({
    write: (chunk) => writer.write(chunk),
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return { readable, writable: side };
}

/** Reads what was collected, and passes what may go on. */
async function pass(
  message: StreamedMessage,
  controller: TransformStreamDefaultController<Uint8Array>,
): Promise<void> {
  while (message.hasWork) {
    await slices.pause();
    message.work();
  }
  for (const part of await message.take()) {
    controller.enqueue(part);
  }
}
