import { DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import { answerOf, envelope, http, type Script } from './upstream-kit.js';

/** An answer of a backend, sent whole and byte by byte. */
export interface AnswerVector {
  readonly row: string;
  readonly case: string;
  /** `Ping` unless given, of a service without a WSDL. */
  readonly operation?: string;
  readonly dialects?: readonly DialectName[];
  /**
   * The bytes of the answer; or what the backend does, once. `end` closes the connection behind the
   * bytes.
   */
  readonly answer: (dialect: DialectName) => Buffer | string | Script;
  readonly end?: boolean;
  /** Must not be in what the caller gets. */
  readonly secret?: string;
}

type AnswerOptions = Omit<AnswerVector, 'row' | 'case' | 'answer'>;

export const USUAL: AnswerOptions = {};
/** The backend closes the connection behind its answer. */
export const CLOSES: AnswerOptions = { end: true };

/** The cases of a row that have the same options, by name. */
export const vectors = (
  row: string,
  options: AnswerOptions,
  answers: Readonly<Record<string, AnswerVector['answer']>>,
): readonly AnswerVector[] =>
  Object.entries(answers).map(([name, answer]) => ({ row, case: name, answer, ...options }));

export const PING = answerOf('Ping');
export const own = (dialect: DialectName) => ({ 'Content-Type': DIALECTS[dialect].mediaType });
export const fine = (dialect: DialectName): Buffer => http(envelope(PING, dialect), own(dialect));
export const fault = (dialect: DialectName, code: string): string =>
  envelope(
    dialect === '1.2'
      ? `<E:Fault><E:Code><E:Value>E:${code}</E:Value></E:Code><E:Reason>` +
          '<E:Text xml:lang="en">no</E:Text></E:Reason></E:Fault>'
      : `<E:Fault><faultcode>${dialect === '1.1' ? 'E:' : ''}${code}</faultcode>` +
          '<faultstring>no</faultstring></E:Fault>',
    dialect,
  );
export const raw = (lines: readonly string[], body = ''): string =>
  `${lines.join('\r\n')}\r\n\r\n${body}`;
export const interim = (count: number, line: string) => (dialect: DialectName) =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${line}\r\n\r\n`.repeat(count)), fine(dialect)]);
export const chunks = (...pieces: readonly string[]): string =>
  pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join('');
export const MIB = 1024 * 1024;
export const long = (dialect: DialectName, bytes: number): string =>
  envelope(`<a xmlns="urn:m">${'a'.repeat(bytes)}</a>`, dialect);
