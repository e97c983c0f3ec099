import { getOrMake } from '../../../core/index.js';
import type { Operation } from '../../../wsdl/index.js';
import { expandedName, type QName } from '../../../xml/index.js';

/**
 * How an element stands to the outputs that are declared for an address, besides that of the
 * operation that was called.
 */
export type OutputMatch = 'declared' | 'local-name' | 'none';

/** The outputs that operations of all services declare, by the host and port of their backends. */
export class DeclaredOutputs {
  readonly #byOrigin = new Map<string, OutputNames>();

  /**
   * Adds the outputs of a service. Returns how an element matches the outputs of all operations at
   * its addresses; `own` is the local name of the output of the operation that was called, which
   * another one may share.
   */
  add(
    urls: readonly string[],
    operations: readonly Operation[],
  ): (body: QName, own: string | null) => OutputMatch {
    const shared = [...new Set(urls.map((url) => new URL(url).origin))].map((origin) =>
      getOrMake(
        this.#byOrigin,
        origin,
        (): OutputNames => ({ names: new Set(), locals: new Set(), anyLocals: new Set() }),
      ),
    );
    for (const operation of operations) {
      for (const outputs of shared) {
        addOutput(outputs, operation);
      }
    }
    return (body, own) => {
      if (shared.some(({ names }) => names.has(expandedName(body)))) return 'declared';
      if (body.local === own) return 'none';
      if (shared.some(({ locals }) => locals.has(body.local))) return 'declared';
      return shared.some(({ anyLocals }) => anyLocals.has(body.local)) ? 'local-name' : 'none';
    };
  }
}

interface OutputNames {
  /** Expanded names. */
  readonly names: Set<string>;
  /** Local names of wrappers whose namespace stacks disagree about. */
  readonly locals: Set<string>;
  /** Local names of all outputs. */
  readonly anyLocals: Set<string>;
}

function addOutput({ names, locals, anyLocals }: OutputNames, operation: Operation): void {
  const { name, output, style, use } = operation;
  if (output === null) return;
  const body = output.body?.name ?? null;
  const local = body?.local ?? `${name}Response`;
  if (body !== null) {
    names.add(expandedName(body));
  }
  if (body === null || style !== 'document' || use === 'encoded') {
    locals.add(local);
  }
  anyLocals.add(local);
}
