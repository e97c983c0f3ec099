import { FindingsError, type Problem } from '../config/keys/finding.js';
import { ConfigurationError, type Diagnostic, inputFiles } from '../core/index.js';
import type { RotatingText } from '../gateway/rotating-text.js';
import type { ConfigPath } from './keys/config-path.js';
import type { ConfigPlace, ConfigSource } from './source/config-source.js';
import type { SourcePosition } from './source/yaml-source.js';

/** What is known of the files of a configuration. Paths begin at its root. */
export interface ConfigFiles {
  /** The first of its files, as the operator named it. */
  readonly file: string;
  /** The folder it was read from: its files are read from there as well. */
  readonly inputs: inputFiles.Inputs;
  /** See `ConfigSource`. */
  placeOf(path: ConfigPath, part?: 'key' | 'value'): ConfigPlace | null;
  placeIn(path: ConfigPath, at: SourcePosition): ConfigPlace;
  /**
   * The absolute path of the file that `{ file: path }` names for the value at `path`; null where
   * it comes from elsewhere.
   */
  fileAt(path: ConfigPath): string | null;
  locate: ConfigSource['locate'];
  /** Whether a file has a value for this key, even that of its default. */
  isGiven(path: ConfigPath): boolean;
  /** Whether the value at `path` comes from the environment or from another file. */
  isForeign(path: ConfigPath): boolean;
}

/** The position of a configured value; without a line where it is in no file. */
export type SectionPlace = Pick<Diagnostic, 'line' | 'column'> & { readonly file: string };

/**
 * One part of a configuration: its value, its path, and the positions of its keys in the files.
 * Paths begin at the part.
 */
export class ConfigSection<out T> {
  readonly value: T;
  readonly path: ConfigPath;
  readonly #files: ConfigFiles;

  constructor(files: ConfigFiles, value: T, path: ConfigPath = []) {
    this.#files = files;
    this.value = value;
    this.path = path;
  }

  /** The last key of its path: the name of a service. */
  get name(): string {
    return String(this.path.at(-1) ?? '');
  }

  get inputs(): inputFiles.Inputs {
    return this.#files.inputs;
  }

  /** The section of a value within this one. */
  at<V>(value: V, ...path: ConfigPath): ConfigSection<V> {
    return new ConfigSection(this.#files, value, [...this.path, ...path]);
  }

  /** See `placeOf` of `ConfigSource` for `part`. */
  placeOf(path: ConfigPath, part?: 'key' | 'value'): SectionPlace {
    const { file } = this.#files;
    return this.#files.placeOf([...this.path, ...path], part) ?? { file, line: null, column: null };
  }

  /** The position of a place within the text at `path`. */
  placeIn(path: ConfigPath, at: SourcePosition): ConfigPlace {
    return this.#files.placeIn([...this.path, ...path], at);
  }

  diagnostic(
    path: ConfigPath,
    what: string,
    remedy: string | null,
    part?: 'key' | 'value',
  ): Diagnostic {
    return { ...this.placeOf(path, part), what, remedy };
  }

  error(
    path: ConfigPath,
    what: string,
    remedy: string | null,
    part?: 'key' | 'value',
  ): ConfigurationError {
    return new ConfigurationError([this.diagnostic(path, what, remedy, part)]);
  }

  /** Findings as diagnostics at their positions. */
  locateAll(problems: readonly Problem[]): readonly Diagnostic[] {
    return problems.map((each) => {
      if (!('path' in each)) return each;
      const { path, part, at, what, remedy } = each;
      const place = at === undefined ? this.placeOf(path, part) : this.placeIn(path, at);
      return { ...place, what, remedy };
    });
  }

  /** An error of a step on this value: its findings become diagnostics, and others stay. */
  placed(error: unknown): unknown {
    return error instanceof FindingsError
      ? new ConfigurationError(this.locateAll(error.problems))
      : error;
  }

  /** A file that the configuration names at `path`. */
  locate(path: ConfigPath, named: string): ReturnType<ConfigSource['locate']> {
    return this.#files.locate([...this.path, ...path], named);
  }

  /** The file of `{ file: path }` for the value at `path`; null where it comes from elsewhere. */
  fileAt(path: ConfigPath): string | null {
    return this.#files.fileAt([...this.path, ...path]);
  }

  /** The text at `path`, with its file, which is read again when it changes. */
  textAt(path: ConfigPath, text: string, form: 'utf8' | 'base64' = 'utf8'): RotatingText {
    const file = this.fileAt(path);
    return { text, file: file === null ? null : new inputFiles.RotatingFile(file, text, form) };
  }

  isGiven(path: ConfigPath): boolean {
    return this.#files.isGiven([...this.path, ...path]);
  }

  isForeign(path: ConfigPath): boolean {
    return this.#files.isForeign([...this.path, ...path]);
  }
}
