import { exampleValues } from '../../codec/index.js';
import { getOrMake } from '../../core/index.js';
import type { schemaMapping } from '../../graphql/index.js';
import { type ComplexType, type ElementDeclaration, typeKey } from '../../wsdl/index.js';

/** Texts that the conversions of mapped types know, for values of these types. */
export function mappedTexts(
  mappings: readonly schemaMapping.TypeMappings[],
): exampleValues.WantedTextsOf {
  const known = new Map<ComplexType, exampleValues.WantedTexts>();
  return (type, element) => getOrMake(known, type, () => new Map(textsOf(mappings, type, element)));
}

/** Those of the types that it derives from come first. */
function* textsOf(
  mappings: readonly schemaMapping.TypeMappings[],
  type: ComplexType,
  element: ElementDeclaration,
): Iterable<[string, ReturnType<typeof exampleValues.textFor>]> {
  if (type.base !== null) {
    yield* textsOf(mappings, type.base, element);
  }
  const names = type.name === null ? [element.name.local] : [typeKey(type.name), type.name.local];
  for (const mapping of mappings) {
    const found = names.map((name) => mapping.get(name)).find((each) => each !== undefined);
    for (const [key, { convert, lift }] of found?.fields ?? []) {
      if (convert != null) {
        yield [lift?.join('/') ?? key, exampleValues.textFor(convert.conversion)];
      }
    }
  }
}
