import type { Buffer } from 'node:buffer';
import { Refusal, refuseByLimit } from '../../../core/index.js';
import { boundaries, type MimeLimits, mimeTypes } from '../../../soap/index.js';

/** Takes the fields of a form as they come. What it throws ends the form. */
export interface FormSink {
  begin(name: string): void;
  /** A piece of the content of the field that has begun. */
  content(piece: Buffer): void;
  /** All of it has come, and the boundary behind it. */
  end(): void;
}

/** The boundary of a form by its Content-Type. Throws `BAD_REQUEST` for none that is valid. */
export function formBoundary(contentType: string, limits: MimeLimits): string {
  const boundary = mimeTypes.readContentType(contentType)?.parameters.get('boundary') ?? '';
  if (!BOUNDARY.test(boundary)) throw broken('It has no valid boundary.');
  if (boundary.length <= limits.boundaryChars) return boundary;
  throw refuseByLimit(
    'BAD_REQUEST',
    'limits.mime.boundaryChars',
    limits.boundaryChars,
    boundary.length,
  );
}

/** RFC 2046 section 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]*[0-9A-Za-z'()+_,./:=?-]$/;

type Section = 'preamble' | 'boundary' | 'header' | 'field' | 'epilogue';

/**
 * Reads a form as its bytes come in, cut anywhere (RFC 7578). Memory is bounded by the header of
 * one field. Throws `BAD_REQUEST`, and what its sink throws.
 */
export class FormReader implements boundaries.ContentSink {
  readonly #sink: FormSink;
  readonly #limits: MimeLimits;
  readonly #scanner: boundaries.BoundaryScanner;
  #section: Section = 'preamble';
  #line: boundaries.BoundaryLine = 'empty';
  #padding = 0;
  #outside = 0;
  #isOpen = false;
  readonly #header: boundaries.HeaderBytes;

  constructor(boundary: string, limits: MimeLimits, sink: FormSink) {
    this.#sink = sink;
    this.#limits = limits;
    this.#scanner = new boundaries.BoundaryScanner(boundary);
    this.#scanner.begin();
    this.#header = new boundaries.HeaderBytes(limits.partHeaderBytes, (problem) =>
      problem === 'too long'
        ? this.#beyond('partHeaderBytes')
        : broken('The form has a bare line feed in a header.'),
    );
  }

  write(chunk: Buffer): void {
    try {
      this.#read(chunk);
    } catch (caught) {
      // The rules of packages are those of forms.
      if (!(caught instanceof Refusal) || caught.code !== 'MTOM_STRUCTURE') throw caught;
      throw broken(`The form has a ${caught.rule ?? 'broken part'}.`);
    }
  }

  /** Nothing follows. */
  end(): void {
    const isClosed =
      this.#section === 'epilogue' || (this.#section === 'boundary' && this.#line === 'closed');
    if (!isClosed) throw broken('The form has no closing boundary.');
  }

  content(piece: Buffer): void {
    if (this.#section === 'field') {
      this.#sink.content(piece);
    } else {
      this.#outside += piece.length;
      if (this.#outside > this.#limits.outsideBytes) throw this.#beyond('outsideBytes');
    }
  }

  #beyond(limit: keyof MimeLimits): Refusal {
    return refuseByLimit('BAD_REQUEST', `limits.mime.${limit}`, this.#limits[limit]);
  }

  #read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#section === 'boundary') {
        at = this.#readLine(chunk, at);
      } else if (this.#section === 'header') {
        at = this.#readHeader(chunk, at);
      } else {
        const next = this.#scanner.scan(chunk, at, this);
        if (next < 0) return;
        if (this.#section === 'epilogue') {
          throw broken('The form has a boundary after the last field.');
        }
        this.#section = 'boundary';
        this.#line = 'empty';
        this.#padding = 0;
        this.#outside = 0;
        at = next;
      }
    }
  }

  #readLine(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length && this.#section === 'boundary') {
      const next = boundaries.afterBoundary(this.#line, chunk[at++]);
      if (next === null || ++this.#padding > boundaries.PADDING_MAX) {
        throw broken('The form has other bytes in the line of a boundary.');
      }
      if (next === 'next part') {
        this.#endField();
        this.#section = 'header';
        this.#header.begin();
      } else if (next === 'after the last') {
        this.#section = 'epilogue';
        this.#scanner.begin();
      } else {
        // The last line need not have an end.
        if (next === 'closed') {
          this.#endField();
        }
        this.#line = next;
      }
    }
    return at;
  }

  #endField(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#sink.end();
  }

  #readHeader(chunk: Buffer, start: number): number {
    const at = this.#header.take(chunk, start);
    const { whole } = this.#header;
    if (whole !== null) {
      this.#beginField(whole);
    }
    return at;
  }

  #beginField(header: Buffer): void {
    const fields = boundaries.readPartFields(header, READ);
    const name = fieldNameIn(fields.get('content-disposition') ?? '');
    if (name === null) throw broken('A field of the form has no name.');
    const coding = fields.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
    // RFC 7578 section 4.7: others are not for HTTP.
    if (!boundaries.PLAIN_CODINGS.has(coding))
      throw broken('A field of the form has a transfer encoding.');
    this.#scanner.begin();
    this.#section = 'field';
    this.#isOpen = true;
    this.#sink.begin(name);
  }
}

const READ: ReadonlySet<string> = new Set(['content-disposition', 'content-transfer-encoding']);
const broken = (rule: string): Refusal => new Refusal('BAD_REQUEST', rule);

/**
 * The name of a field in its Content-Disposition (RFC 7578 section 4.2); null where there is none,
 * or two. Names of files are passed over: browsers write them as they are but for quotes and line
 * ends, other clients put backslashes.
 */
function fieldNameIn(disposition: string): string | null {
  if (!/^form-data[ \t]*(?:;|$)/i.test(disposition)) return null;
  let found: string | null = null;
  PARAMETER.lastIndex = disposition.indexOf(';');
  while (PARAMETER.lastIndex >= 0 && PARAMETER.lastIndex < disposition.length) {
    const [matched, name = '', quoted, bare] = PARAMETER.exec(disposition) ?? [];
    if (matched === undefined) return null;
    if (name.toLowerCase() !== 'name') continue;
    if (found !== null) return null;
    found = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '';
  }
  return found;
}

const PARAMETER =
  /[ \t]*;[ \t]*([\w*-]{1,64})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s";\\]*))[ \t]*/y;
