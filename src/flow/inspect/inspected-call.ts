import { Buffer } from 'node:buffer';
import type { InspectRules } from '../../compile/backend/inspection.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { ReplyHead, UpstreamReceiver, UpstreamRequest } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import {
  CapturingReceiver,
  fieldOf,
  isPackage,
  type ReplyCapture,
} from '../record/capturing-receiver.js';
import { type Inspector, inspectorOf } from './inspector.js';
import { type KeptExchange, type KeptMessage, keptExchange } from './kept-exchange.js';

/** The parts of a call that are kept of it. */
interface InspectableCall {
  readonly service: SoapService;
  readonly operation: Operation | null;
  readonly exchange: Exchange;
  readonly request: UpstreamRequest;
  readonly receiver: UpstreamReceiver;
}

/** The call, whose exchange is kept for the console where the configuration asks for it. */
export function inspected<Call extends InspectableCall>(call: Call): Call {
  const { service, operation, request } = call;
  const { inspection } = service;
  if (inspection === null || operation === null || request.method !== 'POST') return call;
  if (inspection.operations !== null && !inspection.operations.has(operation.name)) return call;
  const capture = new ExchangeCapture(inspection, call, operation.name);
  return { ...call, receiver: new CapturingReceiver(call.receiver, capture) };
}

/** Collects an exchange, and keeps it when it is over. */
class ExchangeCapture implements ReplyCapture {
  readonly #inspector: Inspector;
  readonly #messageBytes: number;
  readonly #kept: KeptExchange;
  #reply: KeptMessage | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(rules: InspectRules, call: InspectableCall, operation: string) {
    this.#inspector = inspectorOf(rules);
    this.#messageBytes = rules.limits.messageBytes;
    const { service, exchange, request } = call;
    const message = this.#messageOf([...request.headers], request.body);
    this.#kept = keptExchange(service, operation, exchange, message);
  }

  head(head: ReplyHead): boolean {
    const contentType = head.header('content-type');
    const type = contentType === null ? [] : ['content-type', contentType];
    this.#reply = {
      fields: head.fields?.() ?? type,
      body: null,
      missing: isPackage(contentType) ? 'package' : null,
    };
    this.#kept.status = head.status;
    return true;
  }

  data(chunk: Buffer): boolean {
    const reply = this.#reply;
    if (reply === null || reply.missing !== null) return true;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#messageBytes) {
      reply.missing = 'long';
      this.#chunks = [];
      return true;
    }
    this.#chunks.push(Buffer.from(chunk));
    return true;
  }

  end(): void {
    this.#keep();
  }

  leave(refusal: Refusal): void {
    this.#kept.code = refusal.code;
    this.#keep();
  }

  #keep(): void {
    const reply = this.#reply;
    if (reply !== null && reply.missing === null) {
      reply.body = Buffer.concat(this.#chunks);
    }
    this.#kept.reply = reply;
    this.#inspector.add(this.#kept);
  }

  /** A message that flows is not held, so that it cannot be kept. */
  #messageOf(fields: readonly string[], body: UpstreamRequest['body']): KeptMessage {
    if (!Buffer.isBuffer(body)) return { fields, body: null, missing: 'long' };
    const isOfParts = isPackage(fieldOf(fields, 'content-type'));
    const missing = isOfParts ? 'package' : body.length > this.#messageBytes ? 'long' : null;
    return { fields, body: missing === null ? body : null, missing };
  }
}
