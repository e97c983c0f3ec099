import { Refusal } from '../base/refusal.js';

/** A caller's value that cannot be written. `path` begins with `arguments` or `headers`; no value is ever held. */
export class InputError extends Refusal {
  readonly path: readonly (string | number)[];
  /** What must hold at `path`; may be shown to the caller. */
  readonly rule: string;

  constructor(path: readonly (string | number)[], rule: string) {
    super('BAD_USER_INPUT', `${printPath(path)}: ${rule}`);
    this.name = 'InputError';
    this.path = path;
    this.rule = rule;
  }
}

/** `arguments.order.lines[2].qty` */
function printPath(path: readonly (string | number)[]): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('');
}
