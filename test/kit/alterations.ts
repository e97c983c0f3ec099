/** Alters messages in ways that can be repeated. */
export class Alterations {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((this.#state / 0x8000_0000) * count);
  }

  of<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  alter(message: string): string {
    const [from, to] = this.#element(message);
    const element = message.slice(from, to);
    const at = this.below(message.length);
    const insert = (text: string, position: number): string =>
      message.slice(0, position) + text + message.slice(position);
    switch (this.below(8)) {
      case 0:
        return (
          message.slice(0, at) + String.fromCharCode(33 + this.below(90)) + message.slice(at + 1)
        );
      case 1:
        return message.slice(0, from) + message.slice(to);
      case 2:
        return insert(element, this.of(this.#element(message)) ?? 0);
      case 3: {
        const rest = message.slice(0, from) + message.slice(to);
        const position = this.of(this.#element(rest)) ?? 0;
        return rest.slice(0, position) + element + rest.slice(position);
      }
      case 4:
        return insert(
          this.of(['<!--c-->', ' ', '\n', '<![CDATA[]]>', '&#65;']) ?? '',
          message.indexOf('>', at) + 1,
        );
      case 5:
        return this.#replace(message, /(?<= (?:\w+:)?I[dD]=")[^"]*/g);
      case 6:
        return this.#replace(message, /(?<= (?:xmlns(?::\w+)?|Algorithm|URI|ValueType)=")[^"]*/g);
      default:
        return insert(
          this.of([' xmlns:q="urn:q"', ' a="1"', ' Id="x"']) ?? '',
          message.indexOf('>', at),
        );
    }
  }

  /** Puts one of the matches in the place of another. */
  #replace(message: string, pattern: RegExp): string {
    const matches = [...message.matchAll(pattern)];
    const [one, other] = [this.of(matches), this.of(matches)];
    if (one === undefined || other === undefined) return message;
    return message.slice(0, one.index) + other[0] + message.slice(one.index + one[0].length);
  }

  /** Where some element begins and ends. */
  #element(message: string): readonly [number, number] {
    const found: (readonly [number, number])[] = [];
    const open: number[] = [];
    for (const tag of message.matchAll(/<(\/?)[\w:]+[^>]*?(\/?)>/g)) {
      const end = tag.index + tag[0].length;
      if (tag[2] !== '') found.push([tag.index, end]);
      else if (tag[1] === '') open.push(tag.index);
      else found.push([open.pop() ?? 0, end]);
    }
    return this.of(found) ?? [0, 0];
  }
}
