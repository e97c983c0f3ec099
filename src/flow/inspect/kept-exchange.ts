import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { SoapService } from '../../compile/soap/service.js';
import type { RefusalCode } from '../../core/index.js';
import { type Exchange, nextExchangeId } from '../../gateway/exchange.js';

/** Why the envelope of a message is not kept: it is long, or a package of parts. */
type MissingEnvelope = 'long' | 'package';

/** A message as it was kept. */
export interface KeptMessage {
  /** Names in lower case and values in turn. */
  readonly fields: readonly string[];
  body: Buffer | null;
  missing: MissingEnvelope | null;
}

/** An exchange with a backend. */
export interface KeptExchange {
  readonly service: SoapService;
  readonly operation: string;
  readonly id: string;
  /** The id of the request that it was made for. */
  readonly requestId: string;
  readonly startedMillis: number;
  readonly begunAt: number;
  millis: number;
  /** The status of the reply; 0 for none. */
  status: number;
  /** Why the call failed, or its reply was refused; null: neither. */
  code: RefusalCode | null;
  readonly request: KeptMessage;
  reply: KeptMessage | null;
}

/** An exchange that begins. */
export const keptExchange = (
  service: SoapService,
  operation: string,
  { id: requestId }: Exchange,
  request: KeptMessage,
): KeptExchange => ({
  service,
  operation,
  id: nextExchangeId(),
  requestId,
  startedMillis: Date.now(),
  begunAt: performance.now(),
  millis: 0,
  status: 0,
  code: null,
  request,
  reply: null,
});

/** The bytes of its messages. */
export const exchangeBytes = ({ request, reply }: KeptExchange): number =>
  (request.body?.length ?? 0) +
  (reply?.body?.length ?? 0) +
  fieldBytes(request.fields) +
  fieldBytes(reply?.fields ?? []);

const fieldBytes = (fields: readonly string[]): number =>
  fields.reduce((sum, each) => sum + each.length, 0);
