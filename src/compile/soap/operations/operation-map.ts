import { getOrMake } from '../../../core/index.js';
import type { Operation } from '../../../wsdl/index.js';

/**
 * Values by service and operation. Services of one WSDL have the same operations, as the same
 * objects: a table over several services must not be keyed by an operation alone.
 */
export class OperationMap<T> {
  readonly #services = new Map<string, Map<Operation, T>>();

  get(service: string, operation: Operation): T | null {
    return this.#services.get(service)?.get(operation) ?? null;
  }

  set(service: string, operation: Operation, value: T): void {
    getOrMake(this.#services, service, () => new Map()).set(operation, value);
  }
}
