import type { ComplexType, XsdType } from '../../wsdl/model.js';
import type { FieldMapping, MappingTable } from './mapping.js';
import type { Member } from './member.js';
import { flatten } from './occurrence.js';

/** Decides which members replies may leave out or send as nil although the schema document requires them. */
export class Nullability {
  readonly #mapping: MappingTable;
  readonly #ofService: boolean | null;
  readonly #isEncoded: boolean;

  /** `ofService`: as configured; null: by rule. `isEncoded`: the service has operations by the SOAP encoding. */
  constructor(mapping: MappingTable, ofService: boolean | null, isEncoded: boolean) {
    this.#mapping = mapping;
    this.#ofService = ofService;
    this.#isEncoded = isEncoded;
  }

  /** The mapping of the field first, then that of its type, then the service. */
  isNullable(owner: ComplexType, member: Member, mapping: FieldMapping | null): boolean {
    const configured = mapping?.nullable ?? this.#mapping.of(owner)?.nullable ?? this.#ofService;
    if (configured !== null) return configured;
    // Any accessor of a struct may be nil or absent (SOAP 1.1 section 5.1).
    if (this.#isEncoded && owner.content.kind === 'elements') return true;
    return member.place === 'element' && !member.many && isJaxbMap(member.element.type);
  }
}

/** Whether this is the type that JAXB makes of a `Map`: its WSDL requires the element, and a null map leaves it out. */
function isJaxbMap(type: XsdType): boolean {
  const entry = onlyElement(type);
  if (entry?.name.local !== 'entry' || entry.type.kind !== 'complex' || entry.type.name !== null) return false;
  if (entry.type.content.kind !== 'elements') return false;
  const names = flatten(entry.type.content.particle).elements.map(({ element }) => element.name.local);
  return names.join() === 'key,value';
}

/** The one element of a type without a name, if it may be repeated. */
function onlyElement(type: XsdType): ReturnType<typeof flatten>['elements'][number]['element'] | null {
  if (type.kind !== 'complex' || type.name !== null || type.content.kind !== 'elements') return null;
  const [only, ...others] = flatten(type.content.particle).elements;
  return only?.many === true && others.length === 0 ? only.element : null;
}
