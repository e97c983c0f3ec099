import type { requestPlans } from '../codec/index.js';
import { diagnosis } from '../core/index.js';
import type { BoundField } from '../graphql/index.js';
import type { ComplexType, Operation, XsdType } from '../wsdl/index.js';

/** A field that offers an operation. */
export interface OfferedField {
  readonly name: string;
  readonly bound: BoundField;
}

/**
 * The operation as it is reported: partial, with the reasons, where its answer or a required
 * argument is XML text in GraphQL.
 */
export function withXmlContent(
  operation: Operation,
  { reply: { root }, requestPlan }: Pick<BoundField, 'reply' | 'requestPlan'>,
): Operation {
  if (operation.status !== 'ok') return operation;
  const argument = requiredXml(requestPlan);
  const isXml = root.kind === 'unwrap' && root.field.value.kind === 'opaque';
  const reasons = [
    ...(isXml ? [`The answer is XML text: ${causeOf(operation.output?.body?.type ?? null)}.`] : []),
    ...(argument === null
      ? []
      : [`The required argument \`${argument}\` is XML text: its content has no model.`]),
  ];
  if (reasons.length === 0) return operation;
  return {
    ...operation,
    status: 'partial',
    reasons: reasons.map((what) => diagnosis.unplaced(what, null)),
  };
}

/** The first argument, or member of one, that is required and XML; null where there is none. */
function requiredXml({ body }: requestPlans.RequestPlan): string | null {
  const open: { readonly value: requestPlans.EncodeObject; readonly path: string }[] =
    body === null ? [] : [{ value: body.value, path: '' }];
  const seen = new Set<requestPlans.EncodeObject>();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at.value)) continue;
    seen.add(at.value);
    for (const { key, value, required, nillable, fixed } of at.value.children) {
      if (!required || nillable || fixed !== null) continue;
      const path = at.path === '' ? key : `${at.path}.${key}`;
      if (value.kind === 'xml') return path;
      if (value.kind === 'object') {
        open.push({ value, path });
      }
    }
  }
  return null;
}

/**
 * The reason why an answer is XML text. It is in the type itself, or in the one element that it
 * wraps.
 */
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
    const only =
      particle.kind !== 'any' && particle.particles.length === 1
        ? particle.particles[0]
        : undefined;
    if (only === undefined) return null;
    particle = only;
  }
  return particle.element.type;
}
