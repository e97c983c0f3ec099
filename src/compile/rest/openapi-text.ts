import { printYaml } from '../../config/source/yaml-source.js';

const OPENAPI_FORMS = ['json', 'yaml'] as const;

export type OpenApiForm = (typeof OPENAPI_FORMS)[number];

/** Spaces of one level, of both forms. */
const LEVEL = 2;

const margin = (level: number): string => ' '.repeat(LEVEL * level);

/** The text of members of an object at a level of the document, ready to be written there. */
export function printMembers(
  members: Readonly<Record<string, unknown>>,
  level: number,
  form: OpenApiForm,
): string {
  // Blank lines of a block of YAML have no margin; JSON has none.
  if (form === 'yaml') return printYaml(members).replace(/^(?=[^\n])/gm, margin(level));
  return JSON.stringify(members, null, LEVEL)
    .slice(2, -2)
    .replaceAll('\n', `\n${margin(level)}`)
    .replace(/^/, margin(level));
}

/** Writes a document whose members are printed one by one. */
export interface DocumentWriter {
  readonly chunks: readonly string[];
  /** Begins an object at a key of the present one. */
  open(key: string): void;
  /** Adds members of the present object, printed at its level. */
  add(members: string): void;
  /** Ends the present object. */
  close(): void;
}

export const writerOf = (form: OpenApiForm): DocumentWriter =>
  form === 'json' ? new JsonWriter() : new YamlWriter();

class JsonWriter implements DocumentWriter {
  readonly chunks: string[] = ['{'];
  /** Members of each open object. */
  readonly #counts = [0];

  open(key: string): void {
    this.add(`${margin(this.#counts.length)}${JSON.stringify(key)}: {`);
    this.#counts.push(0);
  }

  add(members: string): void {
    const count = this.#counts.pop() ?? 0;
    this.#counts.push(count + 1);
    this.chunks.push(count === 0 ? '\n' : ',\n', members);
  }

  close(): void {
    const count = this.#counts.pop() ?? 0;
    this.chunks.push(count === 0 ? '}' : `\n${margin(this.#counts.length)}}`);
  }
}

class YamlWriter implements DocumentWriter {
  readonly chunks: string[] = [];
  readonly #counts = [0];

  open(key: string): void {
    // The key as the library prints it, in quotes where it needs them.
    const [printed = ''] = printMembers({ [key]: 0 }, this.#counts.length - 1, 'yaml').split(
      ' 0\n',
    );
    this.add(printed);
    this.#counts.push(0);
  }

  add(members: string): void {
    const count = this.#counts.pop() ?? 0;
    this.#counts.push(count + 1);
    // Below its key.
    this.chunks.push(count === 0 && this.#counts.length > 1 ? '\n' : '', members);
  }

  close(): void {
    if (this.#counts.pop() === 0 && this.#counts.length > 0) {
      this.chunks.push(' {}\n');
    }
  }
}
