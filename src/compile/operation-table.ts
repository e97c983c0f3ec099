import type { ExpectedParts } from '../soap/body-parts.js';
import type { Operation, Payload, WsdlModel } from '../wsdl/model.js';
import type { QName } from '../xml/events.js';
import { expectedParts } from './body-parts.js';

/** An operation as its requests are judged by. */
export interface KnownOperation {
  readonly operation: Operation;
  /** What callers may write into SOAPAction, the action parameter or wsa:Action for it; null where that is not known. */
  readonly actions: ReadonlySet<string> | null;
  /** The SOAPAction the WSDL gives it; null where it gives none, or several operations share the child of Body. */
  readonly soapAction: string | null;
  /** The same as a field says it, in quotes. */
  readonly soapActionField: string | null;
  /** What its Body may hold; null where that is one child. */
  readonly parts: ExpectedParts | null;
}

/** Which operation a request asks for: looked up by the first child of its Body and by nothing else. */
export class OperationTable {
  /** Every operation is in the table: a Body child that is not found asks for nothing there is. */
  readonly isComplete: boolean;
  /**
   * A message may be in an encoding of SOAP, with arrays and multi-ref elements. Only a service all of whose operations
   * are known to be literal is not: without a WSDL, and for operations that are not understood, it cannot be ruled out.
   */
  readonly mayBeEncoded: boolean;
  readonly #byUri = new Map<string, Map<string, Draft>>();
  #empty: Draft | null = null;

  /**
   * `chosen` come first: where operations share the child of Body the first one stands for all. `given` tells the action
   * that the configuration gives one of them: it is sent whatever the WSDL says.
   */
  constructor(
    chosen: readonly Operation[],
    wsdl: WsdlModel | null,
    given: (operation: Operation) => string | null = () => null,
  ) {
    const others = wsdl?.services.flatMap(({ ports }) => ports.flatMap(({ operations }) => operations)) ?? [];
    const all = [...chosen, ...others];
    let isComplete = wsdl !== null;
    for (const operation of all) {
      const { body } = operation.input;
      if (body !== null) this.#add(operation, body.name);
      else if (operation.status === 'disabled') isComplete = false;
      else {
        this.#empty ??= draftOf(operation);
        note(this.#empty, operation, null);
      }
    }
    for (const operation of chosen) {
      const { body } = operation.input;
      const known = body === null ? this.#empty : this.#byUri.get(body.name.uri)?.get(body.name.local);
      const action = given(operation);
      if (known?.operation === operation && action !== null) known.soapAction = action;
    }
    for (const locals of this.#byUri.values()) for (const draft of locals.values()) complete(draft);
    if (this.#empty !== null) complete(this.#empty);
    this.isComplete = isComplete;
    this.mayBeEncoded = wsdl === null || all.some(({ status, use }) => status === 'disabled' || use === 'encoded');
  }

  /** The operation whose request has this child of Body, null for an empty one; null for none that is known. */
  find(body: QName | null): KnownOperation | null {
    if (body === null) return this.#empty;
    return this.#byUri.get(body.uri)?.get(body.local) ?? null;
  }

  #add(operation: Operation, name: QName): void {
    let locals = this.#byUri.get(name.uri);
    if (locals === undefined) {
      locals = new Map();
      this.#byUri.set(name.uri, locals);
    }
    const known = locals.get(name.local);
    const draft = known ?? draftOf(operation);
    if (known === undefined) locals.set(name.local, draft);
    note(draft, operation, name);
  }
}

interface Draft extends KnownOperation {
  readonly actions: Set<string> | null;
  soapAction: string | null;
  soapActionField: string | null;
  parts: ExpectedParts | null;
  /** Of every operation it stands for. */
  readonly inputs: Payload[];
}

function complete(draft: Draft): void {
  draft.soapActionField = draft.soapAction === null ? null : `"${draft.soapAction}"`;
  draft.parts = expectedParts(draft.inputs, true)(draft.operation.input);
}

const draftOf = (operation: Operation): Draft => ({
  operation,
  // A mapping written by hand may leave the action away without meaning that there is none.
  actions: operation.soapAction === null && operation.addressingAction === null ? null : new Set(),
  soapAction: operation.soapAction === '' ? null : operation.soapAction,
  soapActionField: null,
  parts: null,
  inputs: [],
});

/** The WSDL's own words, and what real stacks write instead: the bare name (spyne), `uri#name` (SOAP::Lite), `uri/name`. */
function note(draft: Draft, operation: Operation, body: QName | null): void {
  const { name, soapAction, addressingAction, input } = operation;
  draft.inputs.push(input);
  if (soapAction !== null && soapAction !== '' && soapAction !== draft.soapAction) draft.soapAction = null;
  if (draft.actions === null) return;
  for (const action of [soapAction, addressingAction, name]) if (action !== null) draft.actions.add(action);
  if (body === null) return;
  const slash = body.uri.endsWith('/') ? body.uri : `${body.uri}/`;
  for (const local of [name, body.local]) {
    for (const action of [local, `${body.uri}#${local}`, `${slash}${local}`, `${body.uri}:${local}`]) {
      draft.actions.add(action);
    }
  }
}
