import { Buffer } from 'node:buffer';
import type { RecordRules } from '../../compile/backend/recording.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { UpstreamReceiver, UpstreamRequest } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { CapturingReceiver, fieldOf, isPackage } from './capturing-receiver.js';
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
  return { ...call, receiver: new CapturingReceiver(call.receiver, capture) };
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
