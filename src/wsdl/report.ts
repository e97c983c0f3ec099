import type { Operation, WsdlModel } from './model.js';

/** One line of the import report. */
interface ReportRow {
  readonly operation: string;
  readonly port: string;
  readonly status: Operation['status'];
  /** Null where the operation is ok; further reasons are counted. */
  readonly reason: string | null;
  /** `file:line` of the reason, or null. */
  readonly location: string | null;
}

/** The status of each operation of each port, in the order of the WSDL. */
export function reportRows(model: Pick<WsdlModel, 'services'>): readonly ReportRow[] {
  return model.services.flatMap(({ ports }) =>
    ports.flatMap(({ name: port, operations }) => operations.map((operation) => rowFor(port, operation))),
  );
}

function rowFor(port: string, { name, status, reasons }: Operation): ReportRow {
  const [first] = reasons;
  if (first === undefined) return { operation: name, port, status, reason: null, location: null };
  const more = reasons.length === 1 ? '' : ` (and ${reasons.length - 1} more)`;
  const location = first.file === null ? null : first.line === null ? first.file : `${first.file}:${first.line}`;
  return { operation: name, port, status, reason: first.what + more, location };
}
