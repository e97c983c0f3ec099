import { getOrMake } from '../../../core/index.js';
import { allOperations, type Operation, type WsdlModel } from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import { type KnownOperation, RequestGroup, type SentActions } from './request-group.js';

/**
 * Decides which operation a message is: everything that depends on the operation asks this table.
 */
export class OperationTable {
  /** Every operation is in the table: a Body child that is not found asks for nothing there is. */
  readonly isComplete: boolean;
  /**
   * A message may be in an encoding of SOAP, with arrays and multi-ref elements. Only a service all
   * of whose operations are known to be literal is not: without a WSDL, and for operations that are
   * not understood, it cannot be ruled out.
   */
  readonly mayBeEncoded: boolean;
  /** The names of all operations of all ports. */
  readonly names: ReadonlySet<string>;
  readonly #byUri = new Map<string, Map<string, RequestGroup>>();
  #empty: RequestGroup | null = null;

  /**
   * `chosen` come first: where operations share the child of Body the first one stands for all.
   * `actionOf` returns the configured action of an operation, which is sent instead of the WSDL's.
   */
  constructor(
    chosen: readonly Operation[],
    wsdl: WsdlModel | null,
    actionOf: (operation: Operation) => string | null = () => null,
  ) {
    const others = wsdl === null ? [] : allOperations(wsdl);
    const all = [...chosen, ...others];
    const own = new Set(chosen);
    const groups = new Set<RequestGroup>();
    let isComplete = wsdl !== null;
    for (const operation of all) {
      const { body } = operation.input;
      if (body === null && operation.status === 'disabled') {
        isComplete = false;
        continue;
      }
      const group = this.#groupOf(body?.name ?? null);
      groups.add(group);
      group.add(operation, own.has(operation) ? actionOf(operation) : null);
    }
    const owners = namesByAction(all);
    for (const group of groups) {
      group.complete((action) => owners.get(action) ?? NOT_OWNED);
    }
    this.names = new Set(all.map(({ name }) => name));
    this.isComplete = isComplete;
    this.mayBeEncoded =
      wsdl === null || all.some(({ status, use }) => status === 'disabled' || use === 'encoded');
  }

  /**
   * All operations whose requests have this child of Body, null for an empty one; null where there
   * are none.
   */
  find(body: QName | null): KnownOperation | null {
    return this.#find(body)?.whole ?? null;
  }

  /**
   * The operation of a message, or those it may be: by the child of its Body and all actions that
   * it names. Null where none has this child of Body; `mismatch` where an action belongs to another
   * operation.
   */
  identify(body: QName | null, sent: SentActions): KnownOperation | 'mismatch' | null {
    return this.#find(body)?.identify(sent) ?? null;
  }

  /**
   * The possible operations of a call of this one that names its own SOAPAction, and has no
   * WS-Addressing.
   */
  called({ name, input, soapAction }: Operation): KnownOperation | null {
    const group = this.#find(input.body?.name ?? null);
    return group?.called(name, soapAction) ?? null;
  }

  #find(body: QName | null): RequestGroup | null {
    if (body === null) return this.#empty;
    return this.#byUri.get(body.uri)?.get(body.local) ?? null;
  }

  #groupOf(body: QName | null): RequestGroup {
    if (body === null) {
      this.#empty ??= new RequestGroup(null);
      return this.#empty;
    }
    let locals = this.#byUri.get(body.uri);
    if (locals === undefined) {
      locals = new Map();
      this.#byUri.set(body.uri, locals);
    }
    let group = locals.get(body.local);
    if (group === undefined) {
      group = new RequestGroup(body);
      locals.set(body.local, group);
    }
    return group;
  }
}

const NOT_OWNED: ReadonlySet<string> = new Set();

/** Maps each action that the WSDL gives to the names of the operations that have it. */
function namesByAction(operations: readonly Operation[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const { name, soapAction, addressingAction } of operations) {
    for (const action of [soapAction, addressingAction]) {
      if (action === null || action === '') continue;
      getOrMake(names, action, () => new Set<string>()).add(name);
    }
  }
  return names;
}
