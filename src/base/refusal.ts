import { kindOf, type RefusalCode, type RefusalKind } from './refusals.js';

/**
 * An expected failure of one request or one upstream call. Everything that goes wrong at run time is one of these;
 * any other exception is a bug of ours and becomes `INTERNAL`.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly kind: RefusalKind;
  /** For the log only, never for the caller: which rule, at which byte. Holds no input. */
  readonly detail: string | null;

  constructor(code: RefusalCode, detail: string | null = null, options?: ErrorOptions) {
    super(kindOf(code).text, options);
    this.name = 'Refusal';
    this.code = code;
    this.kind = kindOf(code);
    this.detail = detail;
  }
}

/** What was caught, as a refusal: bugs are masked as `INTERNAL` and keep their cause for the log. */
export function asRefusal(caught: unknown): Refusal {
  if (caught instanceof Refusal) return caught;
  return new Refusal('INTERNAL', null, { cause: caught });
}
