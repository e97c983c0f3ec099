import type { ConfigPath } from './config-path.js';

/** An error at a path, before the place in the file is looked up. */
export interface Finding {
  readonly path: ConfigPath;
  /** The key or its value; absent: the value where it is a scalar, else the key. */
  readonly part?: 'key' | 'value' | undefined;
  readonly what: string;
  readonly remedy: string | null;
}
