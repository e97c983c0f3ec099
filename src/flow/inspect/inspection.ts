import type { Compiled } from '../../compile.js';
import type { Operator } from '../../observe/admin.js';
import type { ExchangeQuery, ExchangeSummary, ExchangeView } from './exchange-view.js';
import { inspectorOf } from './inspector.js';
import { showExchange } from './show-exchange.js';

/** Reports that an operator has asked for values, and whether they were shown. */
export type ReportLook = (query: ExchangeQuery, by: Operator, isAllowed: boolean) => void;

/** The kept exchanges of one process. */
export class Inspection {
  readonly #compiled: () => Compiled;
  readonly #report: ReportLook;

  constructor(compiled: () => Compiled, report: ReportLook) {
    this.#compiled = compiled;
    this.#report = report;
  }

  /** Null where none are kept of such an operation. */
  list(service: string, operation: string): readonly ExchangeSummary[] | null {
    const rules = this.#rulesOf(service);
    const isKept = rules !== null && (rules.operations?.has(operation) ?? true);
    return isKept ? inspectorOf(rules).list(service, operation) : null;
  }

  /** Null for one that is not kept. `forbidden`: the operator may not see values. */
  show(query: ExchangeQuery, by: Operator): ExchangeView | 'forbidden' | null {
    const rules = this.#rulesOf(query.service);
    if (rules === null) return null;
    const inspector = inspectorOf(rules);
    // First, so that a look is recorded with names and an id that exist.
    const found = inspector.find(query.service, query.operation, query.id);
    if (found === null) return null;
    if (query.values === 'kept') {
      const isAllowed = by.operator !== null && rules.keys.operators.includes(by.operator);
      this.#report(query, by, isAllowed);
      if (!isAllowed) return 'forbidden';
    }
    return showExchange(found, query.values, inspector.replacer);
  }

  #rulesOf(service: string) {
    return this.#compiled().services.find(({ name }) => name === service)?.inspection ?? null;
  }
}
