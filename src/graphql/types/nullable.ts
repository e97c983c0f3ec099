import type { ComplexType, XsdType } from '../../wsdl/model.js';
import type { FieldMapping, MappingTable } from './mapping.js';
import type { Member } from './member.js';
import { flatten } from './occurrence.js';

/** Decides which members replies may leave out or send as nil, against what the schema document declares. */
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

  /**
   * The mapping of the field first, then that of its type, then the service. True: it may be null. False: it never is,
   * whatever is declared; only its own mapping says so. Null: as declared.
   */
  nullabilityOf(owner: ComplexType, member: Member, mapping: FieldMapping | null): boolean | null {
    const own = mapping?.nullable ?? null;
    if (own !== null) return own;
    const around = this.#mapping.of(owner)?.nullable ?? this.#ofService;
    if (around !== null) return around ? true : null;
    return this.#isNullable(owner, member) ? true : null;
  }

  #isNullable(owner: ComplexType, member: Member): boolean {
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
