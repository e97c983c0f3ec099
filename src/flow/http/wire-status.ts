import type { Refusal } from '../../base/refusal.js';
import type { RefusalCode } from '../../base/refusals.js';

const TIMEOUTS: ReadonlySet<RefusalCode> = new Set([
  'UPSTREAM_CONNECT_TIMEOUT',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_IDLE_TIMEOUT',
]);

/** The HTTP status of a refusal where no Fault is answered, on the wire and in the log; 0 where nothing is answered. */
export function wireStatus({ code, kind }: Refusal): number {
  if (code === 'CLIENT_GONE') return 0;
  if (code === 'OVERLOADED') return 503;
  if (kind.blame === 'upstream') return TIMEOUTS.has(code) ? 504 : 502;
  return kind.status ?? kind.httpStatus ?? (kind.blame === 'us' ? 500 : 400);
}
