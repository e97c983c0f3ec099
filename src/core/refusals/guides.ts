import { readFileSync } from 'node:fs';

import { PACKAGE_FOLDER } from '../files/package-folder.js';
import type { RefusalCode } from './refusals.js';

/** What a refusal means to the caller and to the operator, besides its public text. */
interface RefusalGuide {
  /** The reason: the rule of a specification, or the attack that it prevents. */
  readonly why: string;
  /** The remedy: first of the caller, then the key of the configuration. */
  readonly change: string;
}

type Guides = Readonly<Record<RefusalCode, RefusalGuide>>;

let guides: Guides | null = null;

/**
 * One guide for each row of the closed table of refusals, from `config/refusals.json`, which a
 * start does not read.
 */
export function refusalGuides(): Guides {
  if (guides === null) {
    const read: Guides = JSON.parse(
      readFileSync(new URL('config/refusals.json', PACKAGE_FOLDER), 'utf8'),
    );
    guides = read;
  }
  return guides;
}
