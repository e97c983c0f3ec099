import type { Diagnostic } from '../../base/diagnostic.js';
import { isSoapBindingNamespace } from '../documents/namespaces.js';
import { attributeOf, diagnosticAt, type XmlNode } from '../documents/tree.js';
import { type ElementDeclaration, type HeaderDeclaration, typeKey } from '../model.js';
import { plainElement } from '../plain.js';
import { referredBy, targetOf } from './definitions.js';
import { elementOf, type MessageContext, type MessageUse, messageExtensions, typeOf } from './messages.js';

/** The header blocks of one direction; one that cannot be read is left out with a diagnostic. */
export function readHeaders(
  use: MessageUse,
  context: MessageContext,
): { readonly headers: readonly HeaderDeclaration[]; readonly diagnostics: readonly Diagnostic[] } {
  const headers: HeaderDeclaration[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const header of messageExtensions(use.bound, 'header')) {
    warnOfHeaderFaults(header, context);
    const read = readHeader(header, use, context);
    if ('what' in read) diagnostics.push({ ...read, what: `${read.what} The header is left out.` });
    else if (!seen.has(typeKey(read.name))) {
      seen.add(typeKey(read.name));
      headers.push({ element: read });
    }
  }
  return { headers, diagnostics };
}

/** Without a message it is one of the operation's own parts. A part that names a type gives the block its own name. */
function readHeader(header: XmlNode, use: MessageUse, context: MessageContext): ElementDeclaration | Diagnostic {
  const { messages } = context.definitions;
  const isOwn = attributeOf(header, 'message') === null;
  const message = isOwn ? referredBy(use.abstract, 'message', messages) : referredBy(header, 'message', messages);
  const name = attributeOf(header, 'part') ?? '';
  const part = message === null ? null : context.parts.named(message, name);
  if (part === null) return diagnosticAt(header, `The header part ${name} is not defined.`);
  const named = elementOf(part, context);
  if (named !== null) return 'element' in named ? named.element : named.disabled;
  const uri = attributeOf(header, 'namespace') ?? targetOf(part);
  return plainElement({ uri, local: name }, typeOf(part, context));
}

/** Warns of header faults: they pass as SOAP, but GraphQL errors do not show them. */
function warnOfHeaderFaults(header: XmlNode, { warnings }: MessageContext): void {
  for (const fault of header.children) {
    if (fault.local !== 'headerfault' || !isSoapBindingNamespace(fault.uri)) continue;
    const part = attributeOf(fault, 'part') ?? '';
    warnings.add(diagnosticAt(fault, `The header fault ${part} passes as SOAP; errors in GraphQL do not show it.`));
  }
}
