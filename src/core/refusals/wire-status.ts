import type { Refusal } from './refusal.js';
import type { Blame } from './refusal-kind.js';

/** The rows of a SOAP dialect's table that decide the status of its answers. */
export interface FaultForm {
  readonly senderCode: string;
  readonly receiverCode: string;
  readonly senderFaultStatus: 400 | 500;
  /** The answer to a request that is not XML, or no envelope at all. */
  readonly undecodable: 'empty 400' | 'fault';
}

/**
 * The form of an answer. `http`: by the status, on the wire and in the log, also where an upgrade
 * is refused. `graphql json`: the answer to a well-formed GraphQL request in application/json,
 * which is 200 unless no operation was looked at (GraphQL over HTTP section 6.4.1). A `FaultForm`:
 * the answer to a SOAP caller.
 */
export type AnswerForm = 'http' | 'graphql json' | FaultForm;

const BY_BLAME: Readonly<Record<Blame, number>> = {
  client: 400,
  peer: 400,
  upstream: 502,
  us: 500,
};

/** The HTTP status of a refusal; 0 where nothing is answered. */
export function wireStatus(refusal: Refusal, form: AnswerForm): number {
  const { code, kind } = refusal;
  if (code === 'CLIENT_GONE') return 0;
  if (form === 'http') return kind.status ?? kind.httpStatus ?? BY_BLAME[kind.blame];
  if (form === 'graphql json') {
    return kind.httpStatus ?? (refusal.isOfCaller ? 200 : BY_BLAME[kind.blame]);
  }
  if (!hasFault(refusal, form)) return kind.status ?? 400;
  return faultStatus(
    kind.fault ?? (refusal.isOfCaller ? form.senderCode : form.receiverCode),
    form,
  );
}

/** Whether a SOAP caller is answered with a Fault; else with the status alone. */
export const hasFault = ({ kind }: Refusal, { undecodable }: FaultForm): boolean =>
  kind.status === undefined && (kind.undecodable !== true || undecodable === 'fault');

/** The status of a Fault with this code, the gateway's or a backend's. */
export const faultStatus = (code: string, { senderCode, senderFaultStatus }: FaultForm): number =>
  code === senderCode ? senderFaultStatus : 500;
