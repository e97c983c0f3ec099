import { asRefusal } from '../../core/index.js';

/** A message that is not verified, or cannot be signed. */
export class MessageError extends Error {
  /** As in `config/refusals.md`, such as `wsse:FailedCheck` or `XML_NOT_WELLFORMED`. */
  readonly code: string;
  /** The rule that is broken, for a log: it says more than a sender should know. */
  readonly detail: string | null;

  constructor(code: string, message: string, detail: string | null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MessageError';
    this.code = code;
    this.detail = detail;
  }
}

/** The error of a message; one that is no refusal stays as it is: of a configuration, or a bug. */
export function messageErrorOf(caught: unknown): unknown {
  const refusal = asRefusal(caught);
  if (refusal !== caught) return caught;
  const { code, message, detail } = refusal;
  return new MessageError(code, message, detail, { cause: caught });
}
