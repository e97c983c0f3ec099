import type { ExecutionResult } from 'graphql';

/** A value as JSON text, written once for all answers that hold it. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For `JSON.stringify`. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Writes a result as JSON. Fields of the root that are `WrittenJson` are inserted as text. */
export function writeResult(result: ExecutionResult): string {
  if (!Object.values(result.data ?? {}).some((value) => value instanceof WrittenJson)) {
    return JSON.stringify(result);
  }
  const { data, ...rest } = result;
  const members = Object.entries(data ?? {}).map(
    ([key, value]) =>
      `${JSON.stringify(key)}:${value instanceof WrittenJson ? value.text : JSON.stringify(value)}`,
  );
  const others = JSON.stringify(rest).slice(1);
  return `{"data":{${members.join(',')}}${others === '}' ? '' : ','}${others}`;
}
