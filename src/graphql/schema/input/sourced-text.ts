import { type requestPlans, type Scalar, scalars } from '../../../codec/index.js';
import type { ElementDeclaration } from '../../../wsdl/index.js';
import type { InputSources } from './input-field.js';
import { type InputMapping, refuseUnknown } from './input-mapping.js';

/**
 * The plan of an element with text and attributes whose text comes from elsewhere. Callers give
 * nothing of it, so its attributes have sources too or are not written. Null for an element of
 * another type.
 */
export function sourcedText(
  element: ElementDeclaration,
  { key, required }: { readonly key: string; readonly required: boolean },
  mapping: InputMapping,
  types: InputSources,
): requestPlans.EncodeElement | null {
  const { type, name } = element;
  if (type.kind !== 'complex' || type.content.kind !== 'text' || mapping.source === null) {
    return null;
  }
  const { scalar } = types.simple(type.content.type, `${name.local}Value`, null);
  checkConstant(mapping, scalar, types);
  refuseUnknown(
    mapping.inner,
    type.attributes.map((attribute) => `@${attribute.name.local}`),
    types,
  );
  const attributes = type.attributes.flatMap(
    (attribute): readonly requestPlans.EncodeAttribute[] => {
      const { name: named, required: isNeeded, fixed } = attribute;
      const own = mapping.inner.get(`@${named.local}`) ?? null;
      const about = {
        key: named.local,
        name: named,
        required: isNeeded || own?.isRequired === true,
      };
      const leaf = types.simple(attribute.type, named.local, null).scalar;
      if (own?.source != null) {
        checkConstant(own, leaf, types);
        return [{ ...about, fixed: null, scalar: leaf, source: own.source }];
      }
      if (!isNeeded) return [];
      if (fixed === null) {
        const what = `The attribute ${named.local} is required beside the text.`;
        types.names.refuse(mapping.path, what, `Give ${name.local}/@${named.local} too.`);
      }
      return [{ ...about, fixed: fixed ?? '', scalar: leaf }];
    },
  );
  const isRequired = required || mapping.isRequired;
  const text = { key: '', scalar, source: mapping.source, required: isRequired };
  const value = { kind: 'object', attributes, text, children: [], choices: [] } as const;
  return {
    key,
    name,
    occurs: 'one',
    required: isRequired,
    nillable: false,
    fixed: null,
    always: true,
    value,
  };
}

/** Checks a constant at start-up. Its report does not contain the value, which may be a secret. */
export function checkConstant(
  { source, path }: InputMapping,
  scalar: Scalar,
  { names }: InputSources,
): void {
  if (source?.from === 'page' && source.isNumber && !scalars.isWholeScalar(scalar)) {
    names.refuse(path, 'The argument is no whole number.', 'Name the one that counts.');
  }
  if (source?.from !== 'constant') return;
  try {
    scalar.encode(scalar.decode(source.lexical));
  } catch (caught) {
    if (!(caught instanceof scalars.LexicalError)) throw caught;
    names.refuse(path, `The value cannot be written: it ${caught.message}.`);
  }
}
