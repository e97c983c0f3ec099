import type { refusals } from '../../core/index.js';
import { type SimpleType, typeKey, type xsd } from '../../wsdl/index.js';
import type { StartTag } from '../../xml/index.js';
import { trimXml } from '../plan/lexical.js';
import {
  ConstraintScope,
  type FieldHit,
  type IdentityAttribute,
  type Selected,
} from './identity-scope.js';
import type { ValidityLimits } from './limits.js';
import { keyOf, type SimpleRules } from './simple-rules.js';

/**
 * Paths that are followed for each element on average, and how many more at most: elements with
 * constraints may contain each other without bound, and each constraint looks at everything within.
 */
const WORK_PER_ELEMENT = 256;
const WORK_FREE = 100_000;

/** A broken identity rule; `limit` where more values must be kept than allowed. */
type IdentityFinding =
  | { readonly kind: 'broken'; readonly what: string }
  | {
      readonly kind: 'limit';
      readonly what: string;
      readonly limit: refusals.ExceededLimit | null;
    };

/**
 * Checks values of one message that must be unique, or refer to others: `xs:ID` and `xs:IDREF`, and
 * the identity constraints of XSD 1.0 part 1 section 3.11, while the message streams. Values are
 * kept as strings, up to a limit.
 */
export class IdentityTracker {
  readonly #limits: ValidityLimits;
  readonly #ids = new Set<string>();
  readonly #references = new Set<string>();
  readonly #scopes: ConstraintScope[] = [];
  /** The fields that the text of each open element gives, by its depth. */
  readonly #pending: (FieldHit[] | undefined)[] = [];
  /**
   * The keys within each open element, by its depth and the constraint's name, for references in it
   * or around it.
   */
  readonly #within: (Map<string, KeyTable> | undefined)[] = [];
  #values = 0;
  /** Paths followed, and elements they were followed to. */
  #work = 0;
  #elements = 0;
  #unread = 0;
  #chars = 0;
  finding: IdentityFinding | null = null;

  constructor(limits: ValidityLimits) {
    this.#limits = limits;
  }

  /** A value of `xs:ID`, `xs:IDREF` or `xs:IDREFS`. */
  value(kind: SimpleRules['identity'], text: string): void {
    if (kind === 'id') {
      this.#id(trimXml(text));
    } else if (kind === 'idref') {
      this.#reference(trimXml(text));
    } else {
      for (const item of trimXml(text).split(/[ \t\r\n]+/)) {
        this.#reference(item);
      }
    }
  }

  #id(value: string): void {
    if (!this.#count(value)) return;
    if (this.#ids.has(value)) {
      this.#break('must not have the ID of another element');
    }
    this.#ids.add(value);
  }

  #reference(value: string): void {
    if (this.#references.has(value) || !this.#count(value)) return;
    this.#references.add(value);
  }

  /** The message is over. */
  end(): void {
    for (const value of this.#references) {
      if (!this.#ids.has(value)) {
        this.#break('must refer to an ID');
      }
    }
  }

  /**
   * An element begins; its type gives it some of the attributes. True if the text of the element is
   * wanted.
   */
  open(
    tag: StartTag,
    depth: number,
    constraints: readonly xsd.IdentityConstraint[],
    attributes: readonly IdentityAttribute[],
  ): boolean {
    for (const constraint of constraints) {
      this.#scopes.push(new ConstraintScope(constraint, depth));
    }
    this.#within[depth] = undefined;
    this.#pending[depth] = undefined;
    if (this.#scopes.length === 0) return false;
    const hits: FieldHit[] = [];
    this.#elements++;
    for (const scope of this.#scopes) {
      this.#work += 1 + scope.selected.length;
      scope.open(tag, attributes, depth, hits);
    }
    if (this.#work > WORK_FREE + WORK_PER_ELEMENT * this.#elements) {
      this.#exceed(null);
    }
    for (const { selected, field, attribute } of hits) {
      if (attribute === null) continue;
      this.#set(selected, field, attribute.value, attribute.type);
      if (attribute.type === null && selected.scope.constraint.kind === 'key') {
        this.#break(NOT_SIMPLE);
      }
    }
    const texts = hits.filter(({ attribute }) => attribute === null);
    if (texts.length === 0) return false;
    this.#pending[depth] = texts;
    return true;
  }

  /** An element ends. `text` is null where it has no simple value, or is nil. */
  close(depth: number, text: string | null, type: SimpleType | null): void {
    const pending = this.#pending[depth];
    if (pending !== undefined) {
      for (const { selected, field } of pending) {
        if (text !== null) {
          this.#set(selected, field, text, type);
        }
        // cvc-identity-constraint.3 and, for what is nil, .4.2.3.
        else if (type === null || selected.scope.constraint.kind === 'key') {
          this.#break(NOT_SIMPLE);
        }
      }
      this.#pending[depth] = undefined;
    }
    if (this.#scopes.length === 0) return;
    for (const scope of this.#scopes) {
      const selected = scope.close(depth);
      if (selected !== null) {
        this.#complete(selected);
      }
    }
    this.#endScopes(depth);
  }

  /** Ends an element that was skipped: its unknown values equal no others. */
  closeUnread(depth: number): void {
    for (const { selected, field } of this.#pending[depth] ?? []) {
      selected.values[field] ??= `unread ${this.#unread++}`;
    }
    this.#pending[depth] = undefined;
    this.close(depth, null, null);
  }

  #set(selected: Selected, field: number, text: string, type: SimpleType | null): void {
    if (selected.values[field] !== null) {
      selected.isRepeated = true;
    }
    selected.values[field] = type === null ? text : keyOf(type, text);
  }

  #complete({ scope, values, isRepeated }: Selected): void {
    const { kind } = scope.constraint;
    if (isRepeated) {
      this.#break('a field of an identity constraint must be there once at most');
    }
    if (values.includes(null)) {
      if (kind === 'key') {
        this.#break('every field of a key must be there');
      }
      return;
    }
    // Lengths first: no value can be made to look like two.
    const key = values.map((value) => `${value?.length ?? 0}:${value ?? ''}`).join('');
    if (kind === 'keyref' && scope.keys.has(key)) return;
    if (!this.#count(key)) return;
    if (scope.keys.has(key)) {
      this.#break(`must be unique (xs:${kind})`);
    }
    scope.keys.add(key);
  }

  #endScopes(depth: number): void {
    const ending = this.#scopes.filter((scope) => scope.depth === depth);
    const known = this.#within[depth] ?? new Map<string, KeyTable>();
    this.#within[depth] = undefined;
    if (ending.length === 0 && known.size === 0) return;
    for (const { constraint, keys } of ending) {
      if (constraint.kind !== 'keyref') {
        addOwn(known, typeKey(constraint.name), keys);
      }
    }
    for (const { constraint, keys } of ending) {
      if (constraint.kind !== 'keyref' || constraint.refer === null) continue;
      const keysOf = known.get(typeKey(constraint.refer));
      for (const key of keys) {
        if (keysOf?.keys.has(key) !== true || keysOf.ambiguous.has(key)) {
          this.#break('must refer to a key (xs:keyref)');
        }
      }
    }
    this.#scopes.length -= ending.length;
    this.#propagateKeys(depth - 1, known);
  }

  /**
   * Keys within an element are keys within the one around it, as far as something there refers to
   * them.
   */
  #propagateKeys(depth: number, known: ReadonlyMap<string, KeyTable>): void {
    const wanted = new Set(
      this.#scopes.flatMap(({ constraint: { refer } }) => (refer === null ? [] : [typeKey(refer)])),
    );
    if (wanted.size === 0) return;
    const around = this.#within[depth] ?? new Map<string, KeyTable>();
    this.#within[depth] = around;
    for (const [name, table] of known) {
      if (wanted.has(name)) {
        merge(around, name, table);
      }
    }
  }

  #count(value: string): boolean {
    this.#values++;
    this.#chars += value.length;
    const { identityValues, identityChars } = this.#limits;
    if (this.#values > identityValues) {
      this.#exceed({ key: 'limits.validity.identityValues', value: identityValues });
    } else if (this.#chars > identityChars) {
      this.#exceed({ key: 'limits.validity.identityChars', value: identityChars });
    } else {
      return true;
    }
    return false;
  }

  /** `limit`: null for the work that is done per element, which has no key. */
  #exceed(limit: refusals.ExceededLimit | null): void {
    this.finding ??= { kind: 'limit', what: 'more identities than are kept', limit };
  }

  #break(what: string): void {
    this.finding ??= { kind: 'broken', what };
  }
}

/** The keys of one constraint within an element. */
interface KeyTable {
  readonly keys: Set<string>;
  /**
   * Those of more than one of its children: nothing can refer to them (XSD 1.0 part 1 section
   * 3.11.5).
   */
  readonly ambiguous: Set<string>;
}

/** Adds the keys of the element itself, which take precedence over those of its children. */
function addOwn(into: Map<string, KeyTable>, name: string, keys: Set<string>): void {
  const known = into.get(name);
  if (known === undefined) {
    into.set(name, { keys, ambiguous: new Set() });
  } else {
    for (const key of keys) {
      known.keys.add(key);
      known.ambiguous.delete(key);
    }
  }
}

/** The table of a child that has ended. */
function merge(into: Map<string, KeyTable>, name: string, table: KeyTable): void {
  for (const key of table.ambiguous) {
    table.keys.delete(key);
  }
  table.ambiguous.clear();
  const known = into.get(name);
  if (known === undefined) {
    into.set(name, table);
  } else {
    for (const key of table.keys) {
      if (known.keys.has(key)) {
        known.ambiguous.add(key);
      } else {
        known.keys.add(key);
      }
    }
  }
}

const NOT_SIMPLE = 'a field of an identity constraint must have a simple value';
