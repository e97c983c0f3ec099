import type { GraphQLError } from 'graphql';

/** The first errors of an answer, and how many more there were. */
export class ErrorList {
  readonly errors: GraphQLError[] = [];
  readonly #max: number;
  further = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** `make` is called only for an error that is listed. */
  add(make: () => GraphQLError): void {
    if (this.errors.length < this.#max) {
      this.errors.push(make());
    } else {
      this.further++;
    }
  }

  addFurther(count: number): void {
    this.further += count;
  }
}
