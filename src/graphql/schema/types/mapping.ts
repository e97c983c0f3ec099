import type { conversions } from '../../../codec/index.js';
import { getOrMake } from '../../../core/index.js';
import {
  type ComplexType,
  type ElementDeclaration,
  typeKey,
  type XsdType,
} from '../../../wsdl/index.js';
import type { FieldRule } from '../rights/field-rule.js';
import type { FieldCost } from './cost-rules.js';

/** The configured mapping of a type, by its XML name: `Customer` or `{uri}Customer`. */
export type TypeMappings = ReadonlyMap<string, TypeMapping>;

export interface TypeMapping {
  /** The name in GraphQL; null: by rule. */
  readonly name: string | null;
  readonly description: string | null;
  /** Nothing of this type is shown. */
  readonly hidden: boolean;
  /** Whether replies may leave out its fields; null or absent: by rule. */
  readonly nullable?: boolean | null;
  /** Points for each object; null or absent: by rule. */
  readonly cost?: number | null;
  /** The service may have no such type. */
  readonly isOptional?: boolean;
  /**
   * Maps the XML name of an element or attribute (`@name` where both exist); `value` is the text of
   * simple content.
   */
  readonly fields: ReadonlyMap<string, FieldMapping>;
}

export interface FieldMapping {
  readonly name: string | null;
  readonly description: string | null;
  /** The scalar to show instead of the one by rule. */
  readonly type: string | null;
  /** What its texts mean; null or absent: as its type has it. */
  readonly convert?: FieldConversion | null;
  /**
   * The XML names from an element of the type to the value that the field shows; null or absent: it
   * is that element.
   */
  readonly lift?: readonly string[] | null;
  readonly hidden: boolean;
  /** The reason; null: not deprecated. */
  readonly deprecated: string | null;
  /** Whether replies may leave it out, or send nil; null or absent: by rule. */
  readonly nullable?: boolean | null;
  /** Null or absent: by rule. */
  readonly cost?: FieldCost | null;
  /** Null or absent: every caller may read it as it is. */
  readonly rule?: FieldRule | null;
  /** The path of the mapping in the configuration, from the keys of the service on. */
  readonly path: readonly string[];
}

/**
 * The conversion of a field or of an argument. One object is one conversion: its enumeration is one
 * type.
 */
export interface FieldConversion {
  readonly conversion: conversions.Conversion;
  /** What its enumeration is called: type and field, `OrderState`. Null: operation and argument. */
  readonly enumName: string | null;
  /** The path in the configuration, from the keys of the service on. */
  readonly path: readonly string[];
}

/** An error in the mapping of one service. */
export interface MappingFinding {
  readonly service: string;
  /** The path of the error in the configuration, from the keys of the service on. */
  readonly path: readonly (string | number)[];
  readonly what: string;
  readonly remedy: string | null;
  /**
   * Candidates for the last step of the path, for the nearest one to be named; [] where it is no
   * name.
   */
  readonly among: readonly string[];
  /** The word that was written for one of `among`, where that is not the last step of the path. */
  readonly written?: string;
}

/** A finding without what it does not have; `among` and `written` as there. */
export const mappingFinding = (
  service: string,
  path: MappingFinding['path'],
  what: string,
  remedy: string | null = null,
  among: readonly string[] = [],
  written?: string,
): MappingFinding => ({
  service,
  path,
  what,
  remedy,
  among,
  ...(written === undefined ? {} : { written }),
});

/** Refuses the conversion of a value with structure. */
export const refuseConversion = (
  { path }: FieldConversion,
  names: { refuse(path: MappingFinding['path'], what: string, remedy: string | null): unknown },
): void => {
  names.refuse(path, 'Only a simple value can be converted.', 'Map a field inside it.');
};

/** The path of the mapping of types, from the keys of a service on. */
export const TYPES_PATH: readonly string[] = ['schema', 'types'];

/**
 * The mapping of one service's types, asked as the types are met. A type without a name goes by the
 * name of its element, so call `meet` for elements before `of` for their types.
 */
export class MappingTable {
  readonly #mappings: TypeMappings;
  /** Names of the elements that types without a name belong to. */
  readonly #elements = new Map<XsdType, string>();
  readonly #usedTypes = new Map<string, Set<string>>();
  readonly #usedFields = new Map<string, Set<string>>();
  readonly #knownFields = new Map<string, Set<string>>();

  constructor(mappings: TypeMappings) {
    this.#mappings = mappings;
  }

  get isEmpty(): boolean {
    return this.#mappings.size === 0;
  }

  meet(element: ElementDeclaration): void {
    if (this.isEmpty || element.type.name !== null || this.#elements.has(element.type)) return;
    this.#elements.set(element.type, element.name.local);
  }

  of(type: XsdType): TypeMapping | null {
    return this.#entry(type)?.mapping ?? null;
  }

  /** The mapping of a member, by its names in order of preference. */
  field(type: ComplexType, keys: readonly string[]): FieldMapping | null {
    const entry = this.#entry(type);
    if (entry === null) return null;
    const known = getOrMake(this.#knownFields, entry.key, () => new Set());
    for (const key of keys) {
      known.add(key);
    }
    const key = keys.find((candidate) => entry.mapping.fields.has(candidate));
    if (key === undefined || entry.mapping.fields.get(key)?.lift != null) return null;
    getOrMake(this.#usedFields, entry.key, () => new Set()).add(key);
    return entry.mapping.fields.get(key) ?? null;
  }

  /** The mappings of a type that lift values out of its elements. */
  lifts(type: ComplexType): readonly (readonly [string, FieldMapping])[] {
    const entry = this.#entry(type);
    if (entry === null) return [];
    const lifts = [...entry.mapping.fields].filter(([, { lift = null }]) => lift !== null);
    for (const [key] of lifts) {
      getOrMake(this.#usedFields, entry.key, () => new Set()).add(key);
    }
    return lifts;
  }

  /** Entries that mean nothing, or several things. To be asked when every type has been met. */
  findings(service: string, known: readonly XsdType[]): readonly MappingFinding[] {
    const findings: MappingFinding[] = [];
    const names = [
      ...known.flatMap(({ name }) => (name === null ? [] : [name.local])),
      ...this.#elements.values(),
    ];
    for (const [key, mapping] of this.#mappings) {
      const path = [...TYPES_PATH, key];
      const met = this.#usedTypes.get(key);
      if (met === undefined && mapping.isOptional === true) continue;
      if (met === undefined) {
        const among = key.startsWith('{')
          ? known.flatMap(({ name }) => (name === null ? [] : [typeKey(name)]))
          : names;
        findings.push(mappingFinding(service, path, `There is no type ${key}.`, null, among));
        continue;
      }
      if (met.size > 1) {
        const remedy = `Write ${[...met].slice(0, 5).join(' or ')}.`;
        findings.push(mappingFinding(service, path, `Several types are called ${key}.`, remedy));
      }
      for (const field of mapping.fields.keys()) {
        if (this.#usedFields.get(key)?.has(field) === true) continue;
        const among = [...(this.#knownFields.get(key) ?? [])];
        const what = `Type ${key} has no element or attribute ${field} of its own.`;
        const remedy = 'Inherited members are mapped at the type they come from.';
        findings.push({ service, path: [...path, 'fields', field], what, remedy, among });
      }
    }
    return findings;
  }

  #entry(type: XsdType): { readonly key: string; readonly mapping: TypeMapping } | null {
    if (this.isEmpty) return null;
    const local = type.name?.local ?? this.#elements.get(type);
    if (local === undefined) return null;
    for (const key of type.name === null ? [local] : [typeKey(type.name), local]) {
      const mapping = this.#mappings.get(key);
      if (mapping === undefined) continue;
      getOrMake(this.#usedTypes, key, () => new Set()).add(
        type.name === null ? local : typeKey(type.name),
      );
      return { key, mapping };
    }
    return null;
  }
}
