/** What of a map is needed where its values may be made when they are asked for. */
export interface Variants<V> {
  readonly size: number;
  get(type: string): V | undefined;
  keys(): Iterable<string>;
  values(): Iterable<V>;
}
