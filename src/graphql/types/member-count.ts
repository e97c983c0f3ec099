import type { TypeNames } from './type-names.js';

/** Counts the members of one service's types, and refuses its mapping where they are too many for a schema. */
export class MemberCount {
  readonly #service: string;
  readonly #names: TypeNames;
  #count = 0;

  constructor(service: string, names: TypeNames) {
    this.#service = service;
    this.#names = names;
  }

  get isFull(): boolean {
    return this.#count > MEMBERS_MAX;
  }

  add(count: number): void {
    const wasFull = this.isFull;
    this.#count += count;
    if (wasFull || !this.isFull) return;
    const limit = MEMBERS_MAX.toLocaleString('en-GB');
    const what = `The types have more than ${limit} members, where each counts what it inherits.`;
    this.#names.refuse(this.#service, ['wsdl'], what, 'Offer fewer of its operations: set the others to false.');
  }
}

/**
 * Of all types of one service, inherited members at each, at least one for each type it derives from: in GraphQL each is
 * a field of an object, or of an interface as well. Large services have a tenth of this; a million take some seconds.
 */
export const MEMBERS_MAX = 1_000_000;
