import { Refusal } from '../base/refusal.js';
import type { RefusalCode } from '../base/refusals.js';

/** Content that breaks the schema. Both texts hold names of the schema only, never input. */
export class InvalidContent extends Refusal {
  /** The rule in words. */
  readonly rule: string;
  /** Like an XPath, from the child of Body on. */
  readonly path: string;

  constructor(code: RefusalCode, rule: string, path: string) {
    super(code, `${path} ${rule}`);
    this.name = 'InvalidContent';
    this.rule = rule;
    this.path = path;
  }
}
