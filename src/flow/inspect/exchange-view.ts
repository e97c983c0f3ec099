import type { RefusalCode } from '../../core/index.js';

/** An exchange with a backend, in a list. */
export interface ExchangeSummary {
  readonly id: string;
  /** The id of the request that it was made for, which its access line has. */
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly startedMillis: number;
  readonly millis: number;
  /** The status of the reply; 0 for none. */
  readonly status: number;
  /** Why the call failed, or its reply was refused; null: neither. */
  readonly code: RefusalCode | null;
}

/** A field of a head; the value is null where it may hold credentials. */
export interface FieldView {
  readonly name: string;
  readonly value: string | null;
}

/** A message as operators see it. */
export interface MessageView {
  readonly fields: readonly FieldView[];
  /** Without the header blocks of WS-Security; null: see `why`. */
  readonly envelope: string | null;
  /** Why there is no envelope: it is `long`, a `package` of parts, or `unreadable`; else null. */
  readonly why: 'long' | 'package' | 'unreadable' | null;
}

/** An exchange with its messages. */
export interface ExchangeView extends ExchangeSummary {
  /** `replaced`: by others of their class. */
  readonly values: 'replaced' | 'kept';
  readonly request: MessageView;
  /** Null where none came. */
  readonly reply: MessageView | null;
}

/** An exchange that an operator asks for. */
export interface ExchangeQuery {
  readonly service: string;
  readonly operation: string;
  readonly id: string;
  readonly values: ExchangeView['values'];
}
