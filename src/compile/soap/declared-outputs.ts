import { getOrMake } from '../../base/get-or-make.js';
import type { Operation } from '../../wsdl/model.js';
import { expandedName, type QName } from '../../xml/events.js';

/** The outputs that operations of all services declare, by the host and port of their backends. */
export class DeclaredOutputs {
  readonly #byOrigin = new Map<string, OutputNames>();

  /** Adds the outputs of a service. Returns whether an element is the output of any operation at its addresses. */
  add(urls: readonly string[], operations: readonly Operation[]): (body: QName) => boolean {
    const shared = [...new Set(urls.map((url) => new URL(url).origin))].map((origin) =>
      getOrMake(
        this.#byOrigin,
        origin,
        (): OutputNames => ({ names: new Set(), locals: new Set() }),
      ),
    );
    for (const operation of operations) {
      for (const outputs of shared) addOutput(outputs, operation);
    }
    return (body) =>
      shared.some(({ names, locals }) => names.has(expandedName(body)) || locals.has(body.local));
  }
}

interface OutputNames {
  /** Expanded names. */
  readonly names: Set<string>;
  /** Local names of wrappers whose namespace stacks disagree about. */
  readonly locals: Set<string>;
}

function addOutput({ names, locals }: OutputNames, operation: Operation): void {
  const { name, output, style, use } = operation;
  if (output === null) return;
  const body = output.body?.name ?? null;
  if (body !== null) names.add(expandedName(body));
  if (body === null || style !== 'document' || use === 'encoded')
    locals.add(body?.local ?? `${name}Response`);
}
