import type { Diagnostic } from '../core/index.js';

/**
 * An operation of a port that does not speak SOAP over HTTP, or of a binding or port type without a
 * port.
 */
export interface UncallableOperation {
  readonly name: string;
  /** `port Quote`, `binding B` or `port type P`. */
  readonly place: string;
  readonly reason: Diagnostic;
}
