import { isIP } from 'node:net';
import type { LogFields } from './log-fields.js';

/** Fields that the Elastic Common Schema has under another name. */
const NAMES: Readonly<Record<string, string>> = {
  id: 'http.request.id',
  client: 'client.address',
  method: 'http.request.method',
  status: 'http.response.status_code',
  bytesIn: 'http.request.bytes',
  bytesOut: 'http.response.bytes',
  caller: 'user.name',
  code: 'error.code',
  detail: 'error.message',
  err: 'error.stack_trace',
  trace: 'trace.id',
  span: 'span.id',
};

const VERSION = '8.11.0';
const NANOS_PER_MILLI = 1_000_000;

/**
 * A line of the log by the Elastic Common Schema (https://www.elastic.co/docs/reference/ecs), its
 * end included. What the schema has no field for is under `soapstone`.
 */
export function ecsLine({ time, level, msg, ...fields }: LogFields): string {
  const isAccess = msg === 'request';
  const line: Record<string, unknown> = {
    '@timestamp': time,
    'log.level': level,
    message: msg,
    'ecs.version': VERSION,
    'service.name': 'soapstone',
    'event.dataset': isAccess ? 'soapstone.access' : 'soapstone.log',
  };
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const known = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    if (known === undefined || typeof value === 'object') {
      own[name] = value;
    } else {
      line[known] = value;
    }
  }
  const { client, millis, outcome } = fields;
  if (typeof client === 'string' && isIP(client) !== 0) {
    line['client.ip'] = client;
  }
  if (isAccess) {
    line['event.category'] = ['web'];
    line['event.outcome'] = outcome === 'ok' ? 'success' : 'failure';
    line['event.duration'] = Math.round(Number(millis) * NANOS_PER_MILLI);
  }
  return `${JSON.stringify(Object.keys(own).length === 0 ? line : { ...line, soapstone: own })}\n`;
}
