import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from 'graphql';

/** A value that was written once, for all who are told it. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For whoever writes it again. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** A text, and what stands for it until the rest is written. */
export interface Sign {
  readonly sign: string;
  readonly text: string;
}

/** A result in which something that nobody can guess stands for what was written before. */
export function withSigns({ data, ...result }: ExecutionResult): {
  readonly result: ExecutionResult;
  readonly signs: readonly Sign[];
} {
  const signs: Sign[] = [];
  const entries = Object.entries(data ?? {}).map(([key, value]): [string, unknown] => {
    if (!(value instanceof WrittenJson)) return [key, value];
    const sign = randomUUID();
    signs.push({ sign: JSON.stringify(sign), text: value.text });
    return [key, sign];
  });
  if (signs.length === 0) return { result: data === undefined ? result : { data, ...result }, signs };
  return { result: { data: Object.fromEntries(entries), ...result }, signs };
}

/** The text of such a result, complete. */
export const withTexts = (body: string, signs: readonly Sign[]): string =>
  signs.reduce((whole, { sign, text }) => whole.replace(sign, () => text), body);
