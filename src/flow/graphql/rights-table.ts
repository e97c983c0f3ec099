import { randomBytes } from 'node:crypto';
import type { Client } from '../../access/client.js';
import { collections, scopeRules } from '../../core/index.js';
import { fieldRights } from '../../graphql/index.js';

/** Kinds of callers whose plans are cached. Scopes of tokens make them: a configuration has few. */
const KINDS_MAX = 256;

/** The hash key of this process where the configuration has none; a reload keeps it. */
const OWN_KEY = randomBytes(32);

/**
 * The rights of callers to fields: callers that no rule distinguishes have one object in common.
 */
export class RightsTable {
  readonly #scopes: readonly string[];
  readonly #classes: ReadonlySet<string>;
  readonly #masker: fieldRights.Masker;
  readonly #byKind = new collections.BoundedCache<fieldRights.FieldRights>({
    size: KINDS_MAX,
    sizeOf: () => 1,
  });
  readonly #byClient = new WeakMap<Client, fieldRights.FieldRights>();

  /** `maskKey` is the key of hashes; null: one of this process. */
  constructor(rules: readonly fieldRights.FieldRule[], maskKey: string | null) {
    this.#scopes = [...scopeRules.scopesIn(rules.flatMap(({ requires }) => requires ?? []))].sort();
    this.#classes = new Set(rules.flatMap(({ masks }) => [...masks.keys()]));
    this.#masker = new fieldRights.Masker(maskKey ?? OWN_KEY);
  }

  of(client: Client): fieldRights.FieldRights {
    const known = this.#byClient.get(client) ?? this.#ofKind(client);
    this.#byClient.set(client, known);
    return known;
  }

  #ofKind({ isAuthenticated, scopes: held, className }: Client): fieldRights.FieldRights {
    const scopes = this.#scopes.filter((scope) => held.has(scope));
    const ownClass = this.#classes.has(className) ? className : '';
    const key = JSON.stringify([isAuthenticated, ownClass, scopes]);
    const known = this.#byKind.get(key);
    if (known !== undefined) return known;
    const made = new fieldRights.FieldRights(
      { isAuthenticated, scopes: new Set(scopes) },
      ownClass,
      this.#masker,
    );
    this.#byKind.set(key, made);
    return made;
  }
}
