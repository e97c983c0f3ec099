import { Buffer } from 'node:buffer';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { AT_ONCE, invariant, KIB, Refusal, type Steps, TimeSlices } from '../core/index.js';
import { type BodyChange, isStreamed, type UpstreamRequest } from './reply.js';

/** A message up to here is sealed at once. */
const SEALED_AT_ONCE_BYTES = 64 * KIB;
/** All messages that are sealed take turns. */
const slices = new TimeSlices();

/** Header fields and body of one try of a request. */
export type Written = Pick<UpstreamRequest, 'headers' | 'body'>;

/**
 * Header fields and body of one try of a request, with its insertion; a promise while a long
 * message is sealed in time slices, until `isOver`. Throws, or rejects with, the refusal of a
 * message that cannot be sealed.
 */
export function withInsertion(
  { headers, body, insertion }: Pick<UpstreamRequest, 'headers' | 'body' | 'insertion'>,
  isOver: () => boolean,
): Written | Promise<Written> {
  if (insertion === undefined || body === null) return { headers, body };
  const inserted = insertion.make();
  const { offsetBytes, seal, change } = insertion;
  if (isStreamed(body)) {
    invariant(seal === undefined || change !== undefined, 'what is signed is whole');
    const stream = inStream(body, offsetBytes, inserted);
    return change === undefined
      ? { headers: grown(headers, inserted.length), body: stream }
      : { headers: withoutLength(headers), body: changed(stream, change()) };
  }
  const whole = inBuffer(body, offsetBytes, inserted);
  const written = (sealed: Buffer): Written => ({
    headers: grown(headers, sealed.length - body.length),
    body: sealed,
  });
  if (seal === undefined) return written(whole);
  if (whole.length <= SEALED_AT_ONCE_BYTES) return written(AT_ONCE.finish(seal(whole)));
  return slices.run(untilOver(seal(whole), isOver)).then(written);
}

function* untilOver<T>(steps: Steps<T>, isOver: () => boolean): Steps<T> {
  for (;;) {
    if (isOver()) throw new Refusal('CLIENT_GONE');
    const { done, value } = steps.next();
    if (done === true) return value;
    yield;
  }
}

function grown(headers: readonly string[], bytes: number): string[] {
  const changed = [...headers];
  for (let index = 0; index + 1 < changed.length; index += 2) {
    if (changed[index] === 'content-length') {
      changed[index + 1] = String(Number(changed[index + 1]) + bytes);
    }
  }
  return changed;
}

/** The length of what is changed as it goes by is not known. */
const withoutLength = (headers: readonly string[]): string[] =>
  headers.filter((_, index) => headers[index - (index % 2)] !== 'content-length');

const inBuffer = (body: Buffer, offset: number, inserted: Buffer): Buffer =>
  Buffer.concat([body.subarray(0, offset), inserted, body.subarray(offset)]);

/** The insertion stands in the first chunks, which are read already. */
function inStream(body: Readable, offset: number, inserted: Buffer): Readable {
  let passed = 0;
  const inserter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const at = offset - passed;
      passed += chunk.length;
      done(null, at >= 0 && at < chunk.length ? inBuffer(chunk, at, inserted) : chunk);
    },
  });
  // Errors of either side end the other one.
  pipeline(body, inserter, () => {});
  return inserter;
}

function changed(body: Readable, change: BodyChange): Readable {
  const changer = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      attempt(() => change.write(chunk), done);
    },
    flush(done) {
      attempt(() => change.end(), done);
    },
  });
  pipeline(body, changer, () => {});
  return changer;
}

function attempt(make: () => Buffer, done: TransformCallback): void {
  let made: Buffer;
  try {
    made = make();
  } catch (caught) {
    done(caught instanceof Error ? caught : new Error(String(caught)));
    return;
  }
  done(null, made);
}
