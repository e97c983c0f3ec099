import type { Diagnostic } from '../../base/diagnostic.js';
import { WSDL } from '../documents/namespaces.js';
import { attributeOf, childrenOf, diagnosticAt, type XmlNode } from '../documents/tree.js';
import type { FaultDeclaration } from '../model.js';
import { plainElement } from '../plain.js';
import { referredBy, targetOf } from './definitions.js';
import { elementOf, type MessageContext, soapChildren, typeOf } from './messages.js';

/**
 * The declared faults; one that cannot be read is left out with a diagnostic. `bound` is the operation of the binding, or
 * null. A fault whose part names a type is in `detail` under the name of the part, as rpc stacks write it.
 */
export function readFaults(
  operation: XmlNode,
  bound: XmlNode | null,
  context: MessageContext,
): { readonly faults: readonly FaultDeclaration[]; readonly diagnostics: readonly Diagnostic[] } {
  const faults: FaultDeclaration[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const fault of childrenOf(operation, WSDL, 'fault')) {
    const name = attributeOf(fault, 'name') ?? '';
    const message = referredBy(fault, 'message', context.definitions.messages);
    if (message === null) {
      diagnostics.push(diagnosticAt(fault, `The message of the fault ${name} is not defined. The fault is left out.`));
      continue;
    }
    const { part, count } = context.parts.first(message);
    if (part === null) {
      context.warnings.add(diagnosticAt(message, `The message of the fault ${name} has no part: it has no detail.`));
      continue;
    }
    if (count > 1) {
      context.warnings.add(
        diagnosticAt(message, `The message of the fault ${name} has several parts: the first is used.`),
      );
    }
    const named = elementOf(part, context);
    if (named === null) {
      const wire = { uri: namespaceOf(name, bound), local: attributeOf(part, 'name') ?? '' };
      faults.push({ name, element: plainElement(wire, typeOf(part, context)) });
    } else if ('element' in named) faults.push({ name, element: named.element });
    else diagnostics.push({ ...named.disabled, what: `${named.disabled.what} The fault is left out.` });
  }
  return { faults, diagnostics };
}

/** The namespace of the detail's child by `soap:fault`, or if it is encoded; literal ones are not qualified. */
function namespaceOf(name: string, bound: XmlNode | null): string {
  const same =
    bound === null ? [] : childrenOf(bound, WSDL, 'fault').filter((each) => attributeOf(each, 'name') === name);
  const [soap] = same.flatMap((each) => soapChildren(each, 'fault'));
  if (soap === undefined) return '';
  return attributeOf(soap, 'namespace') ?? (attributeOf(soap, 'use') === 'encoded' ? targetOf(soap) : '');
}
