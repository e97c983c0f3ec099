import { operatorFields } from '../../observe/admin.js';
import type { Log } from '../../observe/log/log.js';
import type { ReportLook } from './inspection.js';

/** The record of decisions, as far as looks go into it. */
interface LookRecord {
  recordLook(...look: Parameters<ReportLook>): void;
}

/** Logs each look at values, and records it where decisions are recorded. */
export const lookReporter =
  (log: Log, record: LookRecord | null): ReportLook =>
  (query, by, isAllowed) => {
    const { service, operation, id } = query;
    const outcome = isAllowed ? 'shown' : 'refused';
    const what = `an operator was ${outcome} the values of an exchange`;
    log.event(isAllowed ? 'info' : 'warn', what, {
      service,
      operation,
      exchange: id,
      ...operatorFields(by),
    });
    record?.recordLook(query, by, isAllowed);
  };
