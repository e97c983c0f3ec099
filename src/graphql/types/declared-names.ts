/** A name that was taken, and the one that was wanted. */
export interface DeclaredName {
  readonly name: string;
  readonly wanted: string;
}

/** The owner of a name: a type or an operation of the model; null for types of GraphQL only. */
export type NameOwner = object | null;

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
      const others = this.#alone.get(label);
      if (others === undefined) this.#alone.set(label, [declared]);
      else others.push(declared);
      return;
    }
    const names = this.#owned.get(owner) ?? new Map<string, DeclaredName>();
    this.#owned.set(owner, names.set(label, declared));
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
