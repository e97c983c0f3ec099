/** A read-only map whose values may be made on demand. */
export interface Variants<V> {
  readonly size: number;
  get(type: string): V | undefined;
  keys(): Iterable<string>;
  values(): Iterable<V>;
}
