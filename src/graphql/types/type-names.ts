import { type Diagnostic, unplaced } from '../../base/diagnostic.js';
import { getOrMake } from '../../base/get-or-make.js';
import { addToGroup } from '../../base/groups.js';
import { SCALAR_TYPES } from '../../codec/values/scalars.js';
import type { XsdType } from '../../wsdl/model.js';
import type { QName } from '../../xml/events.js';
import { ANY_VALUE_NAMES } from './any-value.js';
import { type MappingFinding, MappingTable, mappingFinding, TYPES_PATH, type TypeMappings } from './mapping.js';
import { innerName, isNaming01, NameScope, type Naming, pascalName, typeName } from './naming.js';

/** How the types of one service are named. */
export interface ServiceNaming {
  readonly naming: Naming;
  /** The names of types that have none: those of their global elements. */
  readonly elements: ReadonlyMap<XsdType, QName>;
}

/** Keys of one service, also where it shares its types with others. */
const SERVICE_KEYS: ReadonlySet<string> = new Set(['operations', 'soapHeaders']);

/**
 * The names of all types of one schema. Names of the mapping are kept for their types. A name that is
 * taken by another service gets the service's name in front, one that is taken by another namespace of the same service
 * the end of its namespace; then a number. The names of a type in replies and in requests differ in the suffix only.
 */
export class TypeNames {
  readonly warnings: Diagnostic[] = [];
  readonly findings: MappingFinding[] = [];
  readonly #scope = new NameScope(BUILT_IN_NAMES);
  readonly #services = new Map<string, string>();
  readonly #mappings = new Map<string, MappingTable>();
  /** Names of the mapping whose type has not been met. */
  readonly #reserved = new Set<string>();
  readonly #declared: ReadonlyMap<string, DeclaredNames>;
  readonly #namings: ReadonlyMap<string, ServiceNaming>;
  /** Names without suffixes, by service. */
  readonly #plain = new Map<string, { readonly scope: NameScope; readonly taken: Map<XsdType, string> }>();
  /** Names that were taken, by service. */
  readonly #taken = new Map<string, DeclaredNames>();

  /** `declared` are the names of each service whose operations may not all be offered. */
  constructor(
    mappings: ReadonlyMap<string, TypeMappings> = new Map(),
    declared: ReadonlyMap<string, DeclaredNames> = new Map(),
    namings: ReadonlyMap<string, ServiceNaming> = new Map(),
  ) {
    this.#declared = declared;
    this.#namings = namings;
    for (const [service, types] of mappings) {
      this.#mappings.set(service, new MappingTable(types));
      for (const [key, { name }] of types) if (name !== null) this.#reserve(service, key, name);
    }
  }

  mappingOf(service: string): MappingTable {
    return this.#mappings.get(service) ?? UNMAPPED;
  }

  namingOf(service: string): Naming {
    return this.#namings.get(service)?.naming ?? 'camel';
  }

  /** The name of a type where names need not be unique: of the mapping, else of XML, or `hint` if it has none. */
  plain(type: XsdType, hint: string, service: string): string {
    return this.mappingOf(service).of(type)?.name ?? this.xmlName(type, hint, service);
  }

  /** The name of a type in XML; without one that of its global element, else `hint`. */
  xmlName(type: XsdType, hint: string, service: string): string {
    if (type.name !== null) return type.name.local;
    const element = this.#namings.get(service)?.elements.get(type);
    return element === undefined ? hint : this.pascal(element.local, service);
  }

  /** The beginning of a type's name that is made from an element's name. */
  pascal(xmlName: string, service: string): string {
    return pascalName(xmlName, this.namingOf(service));
  }

  /** The name of a type without one, inside `owner`. */
  inner(owner: string, xmlName: string, service: string): string {
    return innerName(owner, xmlName, this.namingOf(service));
  }

  /** Names an item of a list in a wrapper: by its own name, unless that is `item`. */
  innerItem(owner: string, xmlName: string, item: string, service: string): string {
    const wrapper = this.inner(owner, xmlName, service);
    if (item === xmlName || isNaming01(this.namingOf(service))) return wrapper;
    return item === 'item' ? this.inner(wrapper, item, service) : this.inner(owner, item, service);
  }

  /** Takes the name of a type; `suffix` names a further type made of the same one. */
  of(type: XsdType, hint: string, service: string, suffix = ''): string {
    const mapped = this.mappingOf(service).of(type)?.name ?? null;
    if (suffix === '' && mapped !== null && this.#reserved.delete(mapped)) return mapped;
    const wanted = `${mapped ?? this.xmlName(type, hint, service)}${suffix}`;
    const own = mapped === null && type.name !== null ? `${this.#plainName(type, service)}${suffix}` : wanted;
    const { uri } = type.name ?? this.#namings.get(service)?.elements.get(type) ?? { uri: '' };
    return this.#give({ wanted, own, service, uri, owner: type, label: suffix });
  }

  /** Takes a name for `xmlName`, with a warning if it differs. */
  take(xmlName: string, service: string, uri = '', owner: NameOwner = null): string {
    return this.#give({ wanted: xmlName, own: xmlName, service, uri, owner, label: `made ${xmlName}` });
  }

  /** The names that were taken for the declarations of one service. */
  namesOf(service: string): DeclaredNames {
    return getOrMake(this.#taken, service, () => new DeclaredNames());
  }

  #give({ wanted: xmlName, own, service, uri, owner, label }: Wanted): string {
    const declared = this.#declared.get(service);
    const names = this.namesOf(service);
    const known = declared?.of(owner, label, names.countOf(label)) ?? null;
    const wanted = known?.wanted ?? typeName(xmlName, this.namingOf(service));
    const name =
      known === null
        ? this.#free(typeName(own, this.namingOf(service)), service, uri)
        : this.#scope.take(known.name, `${this.pascal(service, service)}${known.name}`);
    this.#services.set(name, service);
    names.add(owner, label, { name, wanted });
    if (name !== wanted) this.warn(`Service ${service}: the name of type ${wanted} is taken, it is called ${name}.`);
    return name;
  }

  #free(wanted: string, service: string, uri: string): string {
    const ofService = `${this.pascal(service, service)}${wanted}`;
    const ofNamespace = `${this.#wordOf(uri, service)}${wanted}`;
    const isOwn = this.#services.get(wanted) === service && ofNamespace !== wanted;
    const candidates = isOwn ? [wanted, ofNamespace, ofService] : [wanted, ofService];
    const declared = this.#declared.get(service);
    const open = candidates.filter((name) => declared?.has(name) !== true);
    return this.#scope.take(open[0] ?? ofService, ...open.slice(1));
  }

  /** The name of a named type before any suffix: one name for requests and replies. */
  #plainName(type: XsdType, service: string): string {
    const { scope, taken } = this.#plain.get(service) ?? { scope: new NameScope(), taken: new Map<XsdType, string>() };
    this.#plain.set(service, { scope, taken });
    const wanted = typeName(type.name?.local ?? '', this.namingOf(service));
    const word = this.#wordOf(type.name?.uri ?? '', service);
    const ofService = `${this.pascal(service, service)}${wanted}`;
    const name =
      taken.get(type) ??
      (word === '' ? scope.take(wanted, ofService) : scope.take(wanted, `${word}${wanted}`, ofService));
    taken.set(type, name);
    return name;
  }

  /** The last distinctive word of a namespace: `urn:shop:billing` and `http://shop/billing/v2/` give `Billing`. */
  #wordOf(uri: string, service: string): string {
    const words = uri
      .slice(0, URI_CHARS)
      .replace(/^[a-z]+:(\/\/)?/i, '')
      .split(/[^A-Za-z0-9]+/);
    const word = words.filter((each) => /^[A-Za-z]{3,}/.test(each) && !DULL_WORDS.has(each.toLowerCase())).at(-1);
    return word === undefined ? '' : this.pascal(word, service);
  }

  warn(what: string, remedy: string | null = null): void {
    this.warnings.push(unplaced(what, remedy));
  }

  /** Something is wrong in the mapping: at `path`, from the keys of the service on. */
  refuse(...parts: Parameters<typeof mappingFinding>): null {
    this.findings.push(mappingFinding(...parts));
    return null;
  }

  /** Attributes the findings in mappings of operations, from this index on, to a service: types may be another's. */
  attributeOperations(from: number, service: string): void {
    for (const [at, finding] of this.findings.entries()) {
      if (at >= from && SERVICE_KEYS.has(String(finding.path[0]))) this.findings[at] = { ...finding, service };
    }
  }

  #reserve(service: string, key: string, name: string): void {
    if (this.#scope.has(name)) {
      const path = [...TYPES_PATH, key, 'name'];
      this.refuse(service, path, `The name ${name} is taken already.`, 'Give each type a name of its own.');
    } else {
      this.#scope.take(name);
      this.#services.set(name, service);
      this.#reserved.add(name);
    }
  }
}

interface Wanted {
  readonly wanted: string;
  /** The name that it has where only its service is considered. */
  readonly own: string;
  readonly service: string;
  readonly uri: string;
  readonly owner: NameOwner;
  /** The kind of type that is made of one owner. */
  readonly label: string;
}

const UNMAPPED = new MappingTable(new Map());

const BUILT_IN_NAMES: readonly string[] = [
  ...['Query', 'Mutation', 'Subscription', 'Int', 'Float', 'String', 'Boolean', 'ID'],
  ...SCALAR_TYPES.keys(),
  ...ANY_VALUE_NAMES,
];

const URI_CHARS = 1024;

const DULL_WORDS: ReadonlySet<string> = new Set('www com org net xsd schema schemas types type'.split(' '));

/** A name that was taken, and the one that was wanted. */
interface DeclaredName {
  readonly name: string;
  readonly wanted: string;
}

/** The owner of a name: a type or an operation of the model; null for types of GraphQL only. */
type NameOwner = object | null;

/**
 * The names that the types of one service have when all of its operations are offered. They keep them whichever of its
 * operations really are, so that leaving one out does not rename the types of another.
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
      addToGroup(this.#alone, label, declared);
      return;
    }
    getOrMake(this.#owned, owner, () => new Map()).set(label, declared);
  }

  /** `turn` counts those without an owner, from 0. */
  of(owner: NameOwner, label: string, turn: number): DeclaredName | null {
    return (owner === null ? this.#alone.get(label)?.[turn] : this.#owned.get(owner)?.get(label)) ?? null;
  }

  /** How many names without an owner there are. */
  countOf(label: string): number {
    return this.#alone.get(label)?.length ?? 0;
  }
}
