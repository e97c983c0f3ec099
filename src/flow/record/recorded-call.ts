import { Buffer } from 'node:buffer';
import type { RecordRules } from '../../compile/backend/recording.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { mime, mimeTypes } from '../../soap/index.js';
import type { ReplyHead, UpstreamReceiver, UpstreamRequest } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { type Capture, recorderOf } from './recorder.js';

/** The parts of a call that a recording needs. */
interface RecordableCall {
  readonly service: SoapService;
  readonly operation: Operation | null;
  readonly exchange: Exchange;
  readonly request: UpstreamRequest;
  readonly receiver: UpstreamReceiver;
}

/** The call, whose exchange is recorded where its service asks for it. */
export function recorded<Call extends RecordableCall>(call: Call): Call {
  const { recording, chosen } = call.service;
  // A recording is of the backend that is to be replaced.
  if (recording === null || chosen !== null || !isWanted(recording, call)) return call;
  const capture = begin(recording, call);
  note(call, capture === null ? 'skipped' : capture === 'failed' ? 'failed' : 'taken');
  if (capture === null || capture === 'failed') return call;
  return { ...call, receiver: new RecordingReceiver(call.receiver, capture) };
}

function isWanted({ operations, share }: RecordRules, { operation, request }: RecordableCall) {
  const isOffered = operation !== null && (operations === null || operations.has(operation.name));
  return isOffered && request.method === 'POST' && Math.random() < share;
}

/** Null for a message that is not recorded: it flows, is too long, or is a package. */
function begin(rules: RecordRules, call: RecordableCall): Capture | 'failed' | null {
  const { service, operation, request } = call;
  const { body, headers } = request;
  if (!Buffer.isBuffer(body) || operation === null) return null;
  const contentType = fieldOf(headers, 'content-type');
  if (isPackage(contentType)) return null;
  return recorderOf(service, rules).begin({
    operation,
    request: body,
    contentType,
    soapAction: fieldOf(headers, 'soapaction'),
  });
}

function note({ exchange, service }: RecordableCall, outcome: 'taken' | 'skipped' | 'failed') {
  exchange.upstream.recordings ??= [];
  exchange.upstream.recordings.push({ service: service.name, outcome });
}

function fieldOf(headers: readonly string[], name: string): string | null {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? null : (headers[at + 1] ?? null);
}

const isPackage = (contentType: string | null): boolean =>
  mimeTypes.readMediaType(contentType ?? undefined)?.name === mime.PACKAGE;

/** Passes a reply on, and keeps its bytes for the recording. */
class RecordingReceiver implements UpstreamReceiver {
  readonly #receiver: UpstreamReceiver;
  #capture: Capture | null;

  constructor(receiver: UpstreamReceiver, capture: Capture) {
    this.#receiver = receiver;
    this.#capture = capture;
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    const contentType = head.header('content-type');
    if (isPackage(contentType)) {
      this.#leave();
    }
    this.#capture?.head(head.status, contentType);
    this.#pass(() => this.#receiver.head(head));
  }

  data(chunk: Buffer): void {
    if (this.#capture?.data(chunk) === false) {
      this.#leave();
    }
    this.#pass(() => this.#receiver.data(chunk));
  }

  end(): void {
    this.#pass(() => this.#receiver.end());
    this.#capture?.end();
    this.#capture = null;
  }

  failed(refusal: Refusal): void {
    this.#leave();
    this.#receiver.failed(refusal);
  }

  /** A reply that is refused is not recorded. */
  #pass(step: () => void): void {
    try {
      step();
    } catch (caught) {
      this.#leave();
      throw caught;
    }
  }

  #leave(): void {
    this.#capture?.leave();
    this.#capture = null;
  }
}
