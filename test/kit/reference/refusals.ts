import { REFUSALS } from '../../../src/config/refusal-tables.js';
import type { RefusalKind } from '../../../src/core/refusals/refusal-kind.js';

/**
 * The table of refusals as Markdown: each code with its blame, the answer to a SOAP or HTTP caller,
 * and its text.
 */
export function printRefusals(): string {
  const rows = Object.entries(REFUSALS).map(
    ([code, kind]: [string, RefusalKind]) =>
      `| \`${code}\` | ${BLAMED[kind.blame]} | ${answerOf(code, kind)} | ${kind.text} |`,
  );
  return ['| code | to blame | answer | text |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/**
 * Blame as the reference names it. `peer` is the sender of the validated message, request or reply.
 */
const BLAMED = { client: 'caller', peer: 'sender', upstream: 'service', us: 'gateway' } as const;

/** The answer to a SOAP or HTTP caller in words. */
export function answerOf(code: string, kind: RefusalKind): string {
  // The client has gone.
  if (code === 'CLIENT_GONE') return 'none';
  if (kind.status !== undefined) return `HTTP ${kind.status}`;
  if (kind.fault === 'DataEncodingUnknown')
    return 'Fault `DataEncodingUnknown` in 1.2, else `Client`';
  if (kind.fault !== undefined) return `Fault \`${kind.fault}\``;
  const isCallers = kind.blame === 'client' || kind.blame === 'peer';
  const fault = isCallers ? 'Fault `Client`, `Sender`' : 'Fault `Server`, `Receiver`';
  if (kind.httpStatus !== undefined) return `${fault}; else HTTP ${kind.httpStatus}`;
  return kind.undecodable === true ? `${fault}; HTTP 400 in 2001-12` : fault;
}
