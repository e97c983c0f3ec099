import { unplaced } from '../../base/diagnostic.js';
import type { BoundField } from '../../graphql/fields/bound-field.js';
import type { ComplexType, Operation, XsdType } from '../../wsdl/model.js';

/** A field that offers an operation. */
export interface OfferedField {
  readonly name: string;
  readonly bound: BoundField;
}

/** The operation as it is reported: partial, with the reason, where its answer in GraphQL is XML text. */
export function withXmlAnswer(operation: Operation, { reply: { root } }: Pick<BoundField, 'reply'>): Operation {
  const isXml = root.kind === 'unwrap' && root.field.value.kind === 'opaque';
  if (!isXml || operation.status !== 'ok') return operation;
  const what = `The answer is XML text: ${causeOf(operation.output?.body?.type ?? null)}.`;
  const reason = unplaced(what, null);
  return { ...operation, status: 'partial', reasons: [reason] };
}

/** The reason why an answer is XML text. It is in the type itself, or in the one element that it wraps. */
function causeOf(type: XsdType | null): string {
  const inner = type?.kind === 'complex' ? (wrappedType(type) ?? type) : null;
  const isArray = inner?.kind === 'complex' && inner.content.kind === 'array';
  return isArray ? 'it is an array of several dimensions' : 'its content has no model';
}

function wrappedType({ content }: ComplexType): XsdType | null {
  if (content.kind === 'array') return content.dimensions === 1 ? content.item : null;
  if (content.kind !== 'elements') return null;
  let particle = content.particle;
  while (particle.kind !== 'one') {
    const only = particle.kind !== 'any' && particle.particles.length === 1 ? particle.particles[0] : undefined;
    if (only === undefined) return null;
    particle = only;
  }
  return particle.element.type;
}
