import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Diagnostic, isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import { demoFileOf } from '../keys/demo-files.js';
import type { SourcePosition, YamlSource } from './yaml-source.js';

/** A place in one of the files of a configuration. */
export interface ConfigPlace extends SourcePosition {
  readonly file: string;
}

/** One file of a configuration, named as the operator would. */
export interface ConfigFile {
  readonly file: string;
  readonly yaml: YamlSource;
}

/** The files of a configuration as one map of keys, and where each part of it stands. */
export class ConfigSource {
  /** Keys of which the first two levels may come from several files. */
  readonly value: unknown;
  /** Keys that stand in two files, and files that are no map of keys. */
  readonly diagnostics: Diagnostic[] = [];
  readonly #main: ConfigFile;
  readonly #files: readonly ConfigFile[];
  /** The first file that has a path of one or two keys, by the JSON of that path. */
  readonly #owners = new Map<string, ConfigFile>();

  constructor(main: ConfigFile, included: readonly ConfigFile[] = []) {
    this.#main = main;
    this.#files = [main, ...included];
    if (included.length === 0) {
      this.value = main.yaml.value ?? {};
    } else {
      this.value = this.#join();
    }
  }

  /**
   * Returns the position of a key or its value. Without `part`: the value when it is a scalar, else
   * the key. For a path that is in no file (a default): the nearest part around it that is; null
   * when there is none.
   */
  placeOf(path: ConfigPath, part?: 'key' | 'value'): ConfigPlace | null {
    const { file, yaml } = this.#fileOf(path);
    const position = yaml.positionOf(path, part);
    return position === null ? null : { file, ...position };
  }

  /** Whether a file has a value for this key, even that of its default. */
  has(path: ConfigPath): boolean {
    return valueAt(this.value, path) !== undefined;
  }

  /**
   * Returns the position in a file of `at` in the text at `path`. That is its file, or the one that
   * `{ file: path }` names.
   */
  placeIn(path: ConfigPath, at: SourcePosition): ConfigPlace {
    const named = this.#referenceAt(path);
    if (named !== null) return { file: this.locate(path, named).shown, ...at };
    const { file, yaml } = this.#fileOf(path);
    return { file, ...(yaml.placeIn(path, at) ?? { line: 1, column: 1 }) };
  }

  /**
   * A file that the configuration names at `path`: its absolute path, and how the operator would
   * name it.
   */
  locate(path: ConfigPath, named: string): { readonly location: string; readonly shown: string } {
    const ofDemo = path.at(-1) === 'wsdl' ? demoFileOf(named) : null;
    if (ofDemo !== null) return { location: ofDemo, shown: named };
    const { file } = this.#fileOf(path);
    return {
      location: resolve(dirname(file), named),
      shown: isAbsolute(named) ? named : join(dirname(file), named),
    };
  }

  /** Diagnostics in the order of the files, and within one in the order of its lines. */
  sorted(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
    const order = new Map(this.#files.map(({ file }, index) => [file, index]));
    const rankOf = ({ file }: Diagnostic): number => order.get(file ?? '') ?? order.size;
    return [...diagnostics].sort(
      (a, b) =>
        rankOf(a) - rankOf(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    );
  }

  #join(): Record<string, unknown> {
    const joined: Record<string, unknown> = Object.create(null);
    for (const from of this.#files) {
      if (isRecord(from.yaml.value)) {
        this.#add(joined, from, from.yaml.value);
      } else if (from.yaml.value !== null) {
        const what = 'The included file is not a map of keys.';
        this.diagnostics.push({
          file: from.file,
          line: 1,
          column: 1,
          what,
          remedy: 'Begin it with `services:`.',
        });
      }
    }
    return joined;
  }

  #add(joined: Record<string, unknown>, from: ConfigFile, value: Record<string, unknown>): void {
    for (const [key, child] of Object.entries(value)) {
      if (key === 'include' && from !== this.#main) {
        this.#report(
          from,
          [key],
          '`include` stands in an included file.',
          'Name these files in the first file.',
        );
        continue;
      }
      const known = joined[key];
      if (isRecord(child) && (known === undefined || isRecord(known))) {
        const map: Record<string, unknown> = known ?? Object.create(null);
        joined[key] = map;
        if (known === undefined) {
          this.#owners.set(JSON.stringify([key]), from);
        }
        for (const [name, entry] of Object.entries(child)) {
          if (this.#claim([key, name], from)) {
            map[name] = entry;
          }
        }
      } else if (this.#claim([key], from)) {
        joined[key] = child;
      }
    }
  }

  /** Whether no file before this one has the key; else that is reported. */
  #claim(path: ConfigPath, from: ConfigFile): boolean {
    const key = JSON.stringify(path);
    const owner = this.#owners.get(key);
    if (owner === undefined) {
      this.#owners.set(key, from);
      return true;
    }
    const line = owner.yaml.positionOf(path, 'key')?.line ?? 1;
    const what = `${printPath(path)} stands in two files, first in ${owner.file}:${line}.`;
    this.#report(from, path, what, 'Keep one of them, or rename one.');
    return false;
  }

  #report({ file, yaml }: ConfigFile, path: ConfigPath, what: string, remedy: string): void {
    const { line, column } = yaml.positionOf(path, 'key') ?? { line: 1, column: 1 };
    this.diagnostics.push({ file, line, column, what, remedy });
  }

  #fileOf(path: ConfigPath): ConfigFile {
    const ownerOf = (length: number) => this.#owners.get(JSON.stringify(path.slice(0, length)));
    return ownerOf(2) ?? ownerOf(1) ?? this.#main;
  }

  /** The file of `{ file: path }` where the value at `path` is one; else null. */
  #referenceAt(path: ConfigPath): string | null {
    const value = valueAt(this.value, path);
    const file = isRecord(value) ? value['file'] : null;
    return typeof file === 'string' ? file : null;
  }
}

const valueAt = (value: unknown, path: ConfigPath): unknown =>
  path.reduce((owner: unknown, step) => {
    if (Array.isArray(owner)) return typeof step === 'number' ? owner[step] : undefined;
    return isRecord(owner) && Object.hasOwn(owner, step) ? owner[step] : undefined;
  }, value);
