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
    ports.flatMap(({ name: port, operations }) =>
      operations.map((operation) => rowFor(port, operation)),
    ),
  );
}

function rowFor(port: string, operation: Operation): ReportRow {
  const { name, status } = operation;
  const { reason, place } = reasonOf(operation);
  return { operation: name, port, status, reason, location: place };
}

/** The first reason why an operation is not ok, and its `file:line`; both null where it is. */
export function reasonOf({ reasons }: Pick<Operation, 'reasons'>): {
  readonly reason: string | null;
  readonly place: string | null;
} {
  const [first] = reasons;
  if (first === undefined) return { reason: null, place: null };
  const more = reasons.length === 1 ? '' : ` (and ${reasons.length - 1} more)`;
  const place =
    first.file === null ? null : first.line === null ? first.file : `${first.file}:${first.line}`;
  return { reason: first.what + more, place };
}
