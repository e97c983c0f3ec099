import { isRecord } from '../../core/index.js';

/** The fields of a line of the log. */
export interface LogFields extends Readonly<Record<string, unknown>> {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
}

/**
 * The fields of a line that this log wrote. It writes text, for that is what most logs are read as;
 * only another format, or another receiver, needs them one by one.
 */
export function readFields(line: string): LogFields {
  const parsed: unknown = JSON.parse(line);
  const { time, level, msg, ...more } = isRecord(parsed) ? parsed : {};
  return { ...more, time: String(time), level: String(level), msg: String(msg) };
}
