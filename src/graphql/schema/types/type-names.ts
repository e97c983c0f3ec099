import { scalars } from '../../../codec/index.js';
import { collections, type Diagnostic, diagnosis, getOrMake } from '../../../core/index.js';
import {
  distinctName,
  type ElementDeclaration,
  type Operation,
  type XsdType,
} from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import { ANY_VALUE_NAMES } from './any-value.js';
import { descriptionOf } from './description.js';
import {
  type MappingFinding,
  MappingTable,
  mappingFinding,
  TYPES_PATH,
  type TypeMappings,
} from './mapping.js';
import { innerName, NameScope, type Naming, pascalName, typeName } from './naming.js';

/** How the types of one service are named. */
export interface ServiceNaming {
  readonly naming: Naming;
  /** The names of types that have none: those of their global elements. */
  readonly elements: ReadonlyMap<XsdType, QName>;
}

/** Keys of one service, also where it shares its types with others. */
const SERVICE_KEYS: ReadonlySet<string> = new Set(['operations', 'soapHeaders']);

/** The names of all types of one schema, and what is wrong with them and with the mapping. */
export class TypeNames {
  readonly warnings: Diagnostic[] = [];
  readonly findings: MappingFinding[] = [];
  readonly scope = new NameScope(BUILT_IN_NAMES);
  /** The service of each name that is taken. */
  readonly owners = new Map<string, string>();
  /** Names of the mapping whose type has not been met. */
  readonly reserved = new Set<string>();
  readonly #services = new Map<string, ServiceNames>();
  readonly #mappings: ReadonlyMap<string, TypeMappings>;
  readonly #declared: ReadonlyMap<string, DeclaredNames>;
  readonly #namings: ReadonlyMap<string, ServiceNaming>;

  /** `declared` are the names of each service whose operations may not all be offered. */
  constructor(
    mappings: ReadonlyMap<string, TypeMappings> = new Map(),
    declared: ReadonlyMap<string, DeclaredNames> = new Map(),
    namings: ReadonlyMap<string, ServiceNaming> = new Map(),
  ) {
    this.#mappings = mappings;
    this.#declared = declared;
    this.#namings = namings;
    for (const [service, types] of mappings) {
      for (const [key, { name }] of types) {
        if (name !== null) {
          this.#reserve(service, key, name);
        }
      }
    }
  }

  of(service: string): ServiceNames {
    return getOrMake(this.#services, service, () => {
      const { naming = 'camel', elements = new Map() } = this.#namings.get(service) ?? {};
      const mapping = new MappingTable(this.#mappings.get(service) ?? new Map());
      return new ServiceNames(this, service, {
        naming,
        elements,
        mapping,
        declared: this.#declared.get(service),
      });
    });
  }

  /**
   * Attributes the findings in mappings of operations, from this index on, to a service: types may
   * be another's.
   */
  attributeOperations(from: number, service: string): void {
    for (const [at, finding] of this.findings.entries()) {
      if (at >= from && SERVICE_KEYS.has(String(finding.path[0]))) {
        this.findings[at] = { ...finding, service };
      }
    }
  }

  #reserve(service: string, key: string, name: string): void {
    if (this.scope.has(name)) {
      const path = [...TYPES_PATH, key, 'name'];
      this.of(service).refuse(
        path,
        `The name ${name} is taken already.`,
        'Give each type a name of its own.',
      );
    } else {
      this.scope.take(name);
      this.owners.set(name, service);
      this.reserved.add(name);
    }
  }
}

/** What decides the names of one service's types. */
interface NameRules extends ServiceNaming {
  readonly mapping: MappingTable;
  readonly declared: DeclaredNames | undefined;
}

/**
 * The names of one service's types in a schema. Names of the mapping are kept for their types. A
 * name that is taken by another service gets the service's name in front, one that is taken by
 * another namespace of the same service the end of its namespace; then a number. The names of a
 * type in replies and in requests differ in the suffix only.
 */
export class ServiceNames {
  readonly service: string;
  readonly naming: Naming;
  readonly mapping: MappingTable;
  /** The names that were taken for its declarations. */
  readonly taken = new DeclaredNames();
  readonly #names: TypeNames;
  readonly #elements: ReadonlyMap<XsdType, QName>;
  readonly #declared: DeclaredNames | undefined;
  /** Names without suffixes. */
  readonly #plain = new Map<XsdType, string>();
  readonly #plainScope = new NameScope();
  /** Types of items without a name, by the name that the first of them has. */
  readonly #items = new Map<string, XsdType>();

  constructor(
    names: TypeNames,
    service: string,
    { naming, elements, mapping, declared }: NameRules,
  ) {
    this.#names = names;
    this.service = service;
    this.naming = naming;
    this.mapping = mapping;
    this.#elements = elements;
    this.#declared = declared;
  }

  /**
   * The name of a type where names need not be unique: of the mapping, else of XML, or `hint` if it
   * has none.
   */
  plain(type: XsdType, hint: string): string {
    return this.mapping.of(type)?.name ?? this.xmlName(type, hint);
  }

  /** The name of a type in XML; without one that of its global element, else `hint`. */
  xmlName(type: XsdType, hint: string): string {
    if (type.name !== null) return type.name.local;
    const element = this.#elements.get(type);
    return element === undefined ? hint : this.pascal(element.local);
  }

  /** The beginning of a type's name that is made from an element's name. */
  pascal(xmlName: string): string {
    return pascalName(xmlName);
  }

  /** The beginning of the names of types that are made for an operation. */
  ofOperation(operation: Operation): string {
    return this.pascal(distinctName(operation));
  }

  /** The name of a type without one, inside `owner`. */
  inner(owner: string, xmlName: string): string {
    return innerName(owner, xmlName);
  }

  /**
   * Names an item of a list in a wrapper: by its own name, unless that is `item` or another type
   * without a name has it, in a list of the same owner.
   */
  innerItem(owner: string, xmlName: string, item: ElementDeclaration | null): string {
    const wrapper = this.inner(owner, xmlName);
    const local = item?.name.local ?? xmlName;
    if (item === null || local === xmlName) return wrapper;
    const own = this.inner(owner, local);
    if (local !== 'item' && (item.type.name !== null || this.#isFirst(own, item.type))) return own;
    return this.inner(wrapper, local);
  }

  /** Whether this type is the first without a name that is to be called so. */
  #isFirst(name: string, type: XsdType): boolean {
    return getOrMake(this.#items, name, () => type) === type;
  }

  /** The description of a type: of the mapping, else its documentation. */
  descriptionOf(type: XsdType): string | null {
    return this.mapping.of(type)?.description ?? descriptionOf(type.documentation);
  }

  /** Takes the name of a type; `suffix` names a further type made of the same one. */
  of(type: XsdType, hint: string, suffix = ''): string {
    const mapped = this.mapping.of(type)?.name ?? null;
    if (suffix === '' && mapped !== null && this.#names.reserved.delete(mapped)) return mapped;
    const wanted = `${mapped ?? this.xmlName(type, hint)}${suffix}`;
    const own =
      mapped === null && type.name !== null ? `${this.#plainName(type)}${suffix}` : wanted;
    const { uri } = type.name ?? this.#elements.get(type) ?? { uri: '' };
    return this.#give({ wanted, own, uri, owner: type, label: suffix });
  }

  /** Takes a name for `xmlName`, with a warning if it differs. */
  take(xmlName: string, owner: NameOwner = null, uri = ''): string {
    return this.#give({ wanted: xmlName, own: xmlName, uri, owner, label: `made ${xmlName}` });
  }

  /** Takes the name of a type that is made for an operation. */
  takeFor(operation: Operation, suffix: string): string {
    return this.take(`${this.ofOperation(operation)}${suffix}`, operation);
  }

  warn(what: string, remedy: string | null = null): void {
    this.#names.warnings.push(diagnosis.unplaced(`Service ${this.service}: ${what}`, remedy));
  }

  /** Something is wrong in the mapping: at `path`, from the keys of the service on. */
  refuse(
    path: MappingFinding['path'],
    what: string,
    remedy: string | null = null,
    among: readonly string[] = [],
    written?: string,
  ): null {
    this.#names.findings.push(mappingFinding(this.service, path, what, remedy, among, written));
    return null;
  }

  #give({ wanted: xmlName, own, uri, owner, label }: Wanted): string {
    const known = this.#declared?.of(owner, label, this.taken.countOf(label)) ?? null;
    const wanted = known?.wanted ?? typeName(xmlName);
    const name =
      known === null
        ? this.#free(typeName(own), uri)
        : this.#names.scope.take(known.name, `${this.pascal(this.service)}${known.name}`);
    this.#names.owners.set(name, this.service);
    this.taken.add(owner, label, { name, wanted });
    if (name !== wanted) {
      this.warn(`the name of type ${wanted} is taken, it is called ${name}.`);
    }
    return name;
  }

  #free(wanted: string, uri: string): string {
    const ofService = `${this.pascal(this.service)}${wanted}`;
    const ofNamespace = `${this.#wordOf(uri)}${wanted}`;
    const isOwn = this.#names.owners.get(wanted) === this.service && ofNamespace !== wanted;
    const candidates = isOwn ? [wanted, ofNamespace, ofService] : [wanted, ofService];
    const open = candidates.filter((name) => this.#declared?.has(name) !== true);
    return this.#names.scope.take(open[0] ?? ofService, ...open.slice(1));
  }

  /** The name of a named type before any suffix: one name for requests and replies. */
  #plainName(type: XsdType): string {
    return getOrMake(this.#plain, type, () => {
      const wanted = typeName(type.name?.local ?? '');
      const word = this.#wordOf(type.name?.uri ?? '');
      const others = [
        ...(word === '' ? [] : [`${word}${wanted}`]),
        `${this.pascal(this.service)}${wanted}`,
      ];
      return this.#plainScope.take(wanted, ...others);
    });
  }

  /**
   * The last distinctive word of a namespace: `urn:shop:billing` and `http://shop/billing/v2/` give
   * `Billing`.
   */
  #wordOf(uri: string): string {
    const words = uri
      .slice(0, URI_CHARS)
      .replace(/^[a-z]+:(\/\/)?/i, '')
      .split(/[^A-Za-z0-9]+/);
    const word = words
      .filter((each) => /^[A-Za-z]{3,}/.test(each) && !DULL_WORDS.has(each.toLowerCase()))
      .at(-1);
    return word === undefined ? '' : this.pascal(word);
  }
}

interface Wanted {
  readonly wanted: string;
  /** The name that it has where only its service is considered. */
  readonly own: string;
  readonly uri: string;
  readonly owner: NameOwner;
  /** The kind of type that is made of one owner. */
  readonly label: string;
}

const BUILT_IN_NAMES: readonly string[] = [
  ...['Query', 'Mutation', 'Subscription', 'Int', 'Float', 'String', 'Boolean', 'ID'],
  ...scalars.SCALAR_TYPES.keys(),
  ...ANY_VALUE_NAMES,
];

const URI_CHARS = 1024;

const DULL_WORDS: ReadonlySet<string> = new Set(
  'www com org net xsd schema schemas types type'.split(' '),
);

/** A name that was taken, and the one that was wanted. */
interface DeclaredName {
  readonly name: string;
  readonly wanted: string;
}

/** The owner of a name: a type or an operation of the model; null for types of GraphQL only. */
type NameOwner = object | null;

/**
 * The names that the types of one service have when all of its operations are offered. They keep
 * them whichever of its operations really are, so that leaving one out does not rename the types of
 * another.
 */
export class DeclaredNames {
  readonly #owned = new Map<object, Map<string, DeclaredName>>();
  /** Names without an owner, in the order in which they were taken. */
  readonly #alone = new Map<string, DeclaredName[]>();
  readonly #all = new Set<string>();

  /** Whether something that this service declares has the name, offered or not. */
  has(name: string): boolean {
    return this.#all.has(name);
  }

  add(owner: NameOwner, label: string, declared: DeclaredName): void {
    this.#all.add(declared.name);
    if (owner === null) {
      collections.addToGroup(this.#alone, label, declared);
      return;
    }
    getOrMake(this.#owned, owner, () => new Map()).set(label, declared);
  }

  /** `turn` counts those without an owner, from 0. */
  of(owner: NameOwner, label: string, turn: number): DeclaredName | null {
    return (
      (owner === null ? this.#alone.get(label)?.[turn] : this.#owned.get(owner)?.get(label)) ?? null
    );
  }

  /** How many names without an owner there are. */
  countOf(label: string): number {
    return this.#alone.get(label)?.length ?? 0;
  }
}
