import { namespaces, xsd } from '../../wsdl/index.js';
import type { QName, StartTag } from '../../xml/index.js';
import type { AnyMember, AnyType, AnyTypes } from '../plan/any-types.js';
import type { TablesPlan } from '../plan/reply/reply-plan.js';
import { resolveQName } from '../plan/xsi.js';
import { scalarOf } from '../values/scalars.js';
import { type AnyJson, AnyValueReader, anyObject } from './any-value.js';
import { TagView } from './tag-view.js';

const DIFFGRAM = 'urn:schemas-microsoft-com:xml-diffgram-v1';
const MSDATA = 'urn:schemas-microsoft-com:xml-msdata';

/** How much of a data set is read. */
interface DataSetLimits {
  /** Characters of the schema in it, and of each row. */
  readonly opaqueChars: number;
  /** Rows of all tables, the earlier ones among them. */
  readonly listItems: number;
}

interface Table {
  readonly rows: AnyJson[];
  readonly before: AnyJson[];
}

/** What an open element is of a data set. */
type Place = 'root' | 'schema' | 'diffgram' | 'set' | 'before' | 'row' | 'skipped';

/**
 * Reads a data set of .NET as tables: an XML Schema, then a diffgram, or its rows as they are.
 * Columns have the types of that schema, else those of the declaration of the data set.
 */
export class DataSetReader {
  readonly #plan: TablesPlan;
  readonly #limits: DataSetLimits;
  readonly #places: Place[] = [];
  readonly #columns: ColumnTypes;
  readonly #tables = new Map<string, Table>();
  #declared: AnyType | null = null;
  #row: OpenRow | null = null;
  #rowCount = 0;
  #hasTooMany = false;

  constructor(plan: TablesPlan, limits: DataSetLimits) {
    this.#plan = plan;
    this.#limits = limits;
    this.#columns = new ColumnTypes(limits.opaqueChars);
  }

  /** It is longer than allowed, takes no more and comes to nothing. */
  get isTooLong(): boolean {
    return this.#hasTooMany || this.#columns.isTooLong;
  }

  open(tag: StartTag): void {
    const place = this.#placeOf(tag, this.#places.at(-1) ?? null);
    if (place === 'schema') {
      this.#columns.open(tag);
    } else if (place === 'set') {
      this.#declared = this.#plan.types.element?.(tag)?.type() ?? null;
    } else if (place === 'row') {
      this.#openRow(tag);
    }
    this.#places.push(place);
  }

  text(chars: string): void {
    this.#row?.reader.text(chars);
  }

  close(): void {
    const place = this.#places.pop();
    if (place === 'schema') {
      this.#columns.close();
    }
    if (place !== 'row' || this.#row === null) return;
    this.#row.reader.close();
    if (this.#places.at(-1) !== 'row') {
      this.#endRow(this.#row);
    }
  }

  /** The tables in the order of their first rows, as the plan shows them. */
  finish(): unknown {
    if (this.isTooLong) return null;
    return [...this.#tables].map(([name, { rows, before }]) => {
      const shown = anyObject();
      const values = { name, rows, before, typeName: this.#plan.typeName };
      for (const { key, field } of this.#plan.fields) {
        shown[key] = values[field];
      }
      return shown;
    });
  }

  #placeOf({ uri, local }: StartTag, around: Place | null): Place {
    switch (around) {
      case null:
        return 'root';
      case 'root':
        if (uri === namespaces.XSD && local === 'schema') return 'schema';
        return uri === DIFFGRAM ? 'diffgram' : 'set';
      case 'diffgram':
        if (uri !== DIFFGRAM) return 'set';
        return local === 'before' ? 'before' : 'skipped';
      case 'set':
      case 'before':
        return 'row';
      default:
        return around;
    }
  }

  #openRow(tag: StartTag): void {
    if (this.isTooLong) return;
    if (this.#row === null) {
      this.#rowCount += 1;
      if (this.#rowCount > this.#limits.listItems) {
        this.#hasTooMany = true;
        return;
      }
      const state = tag.attribute(DIFFGRAM, 'hasChanges');
      const isBefore = this.#places.at(-1) === 'before';
      const id = state !== null || isBefore ? tag.attribute(DIFFGRAM, 'id') : null;
      const types = rowTypes(
        this.#plan.types,
        this.#columns.of(tag.local) ?? this.#rowType(tag.local),
      );
      const reader = new AnyValueReader(types, this.#limits.opaqueChars, true);
      this.#row = { table: plainName(tag.local), isBefore, state, id, reader };
    }
    this.#row.reader.open(columnTag(tag));
  }

  /** The type of rows by the declaration of the data set. */
  #rowType(local: string): AnyType | null {
    const declared = this.#declared;
    if (declared?.kind === 'list') {
      return declared.item.name.local === local ? declared.item.type() : null;
    }
    return declared?.kind === 'object' ? (declared.members.get(local)?.type() ?? null) : null;
  }

  #endRow({ table: name, isBefore, state, id, reader }: OpenRow): void {
    this.#row = null;
    if (reader.isTooLong) {
      this.#hasTooMany = true;
      return;
    }
    const row = anyObject();
    if (state !== null) {
      row['$state'] = state;
    }
    if (id !== null) {
      row['$id'] = id;
    }
    const value = reader.finish();
    // A row whose columns are all null is an empty element.
    if (typeof value === 'object' && value !== null) {
      for (const [column, own] of Object.entries(value)) {
        row[plainName(column)] = own;
      }
    }
    const table = this.#tables.get(name) ?? { rows: [], before: [] };
    this.#tables.set(name, table);
    (isBefore ? table.before : table.rows).push(row);
  }
}

interface OpenRow {
  readonly table: string;
  readonly isBefore: boolean;
  /** What a diffgram says of it: `inserted`, `modified`; null: nothing. */
  readonly state: string | null;
  readonly id: string | null;
  readonly reader: AnyValueReader;
}

/** A name as it was before .NET made one of XML of it: `Unit_x0020_Price`. */
const plainName = (local: string): string =>
  local.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );

/** The types of values, of which those of a row are by its name. */
function rowTypes(types: AnyTypes, row: AnyType | null): AnyTypes {
  const named = (name: QName): AnyType | null => types.named(name);
  const isRestricted = types.isRestricted === true;
  return {
    isRestricted,
    named,
    element: (name) => (row === null ? null : memberOf(name, () => row)),
  };
}

const memberOf = (name: QName, type: () => AnyType | null): AnyMember => ({
  name,
  isMany: false,
  isRequired: false,
  isNillable: true,
  typeName: null,
  type,
});

/** The types of columns by table, from the schema that a data set brings. */
class ColumnTypes {
  readonly #maxChars: number;
  #chars = 0;
  /** The names of elements that are open; null for other parts of a schema. */
  readonly #open: (string | null)[] = [];
  readonly #tables = new Map<string, Map<string, AnyMember>>();

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get isTooLong(): boolean {
    return this.#chars > this.#maxChars;
  }

  open(tag: StartTag): void {
    this.#chars += tag.local.length + 5;
    for (let at = 0; at < tag.attributeCount && !this.isTooLong; at++) {
      this.#chars += tag.attributeLocal(at).length + tag.attributeValue(at).length;
    }
    if (this.isTooLong) return;
    const isElement = tag.uri === namespaces.XSD && tag.local === 'element';
    this.#open.push(isElement ? tag.attribute('', 'name') : null);
    const written = isElement ? tag.attribute('', 'type') : this.#baseOf(tag);
    const [table, column] = this.#open.filter((name) => name !== null).slice(-2);
    if (written === null || table === undefined || column === undefined) return;
    const name = resolveQName(tag, written);
    const simple = name.uri === namespaces.XSD ? xsd.builtInSimple(name) : null;
    if (simple === null) return;
    const columns = this.#tables.get(table) ?? new Map<string, AnyMember>();
    this.#tables.set(table, columns);
    const type: AnyType = { kind: 'simple', name, scalar: scalarOf(simple) };
    columns.set(
      column,
      memberOf({ uri: '', local: column }, () => type),
    );
  }

  close(): void {
    this.#open.pop();
  }

  /** The type of the rows of a table; null where the schema has none. */
  of(table: string): AnyType | null {
    const members = this.#tables.get(table);
    return members === undefined
      ? null
      : { kind: 'object', name: null, text: null, attributes: new Map(), members };
  }

  #baseOf(tag: StartTag): string | null {
    return tag.uri === namespaces.XSD && tag.local === 'restriction'
      ? tag.attribute('', 'base')
      : null;
  }
}

/** A tag without what a diffgram says of the row. */
function columnTag(tag: StartTag): TagView {
  const kept: number[] = [];
  for (let at = 0; at < tag.attributeCount; at++) {
    if (tag.attributeUri(at) !== DIFFGRAM && tag.attributeUri(at) !== MSDATA) {
      kept.push(at);
    }
  }
  return new TagView(tag, tag, kept);
}
