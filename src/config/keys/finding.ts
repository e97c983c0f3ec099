import type { ConfigPath } from './config-path.js';

/** An error at a path, before the place in the file is looked up. */
export interface Finding {
  readonly path: ConfigPath;
  /** Whether the key is wrong or its value. */
  readonly part: 'key' | 'value';
  readonly what: string;
  readonly remedy: string | null;
}
