/** A package of parts as a stack would write it. */
export interface PackageParts {
  readonly boundary: string;
  readonly parts: readonly PackagePart[];
  readonly preamble?: string;
  readonly epilogue?: string;
}

export interface PackagePart {
  /** Header lines, without their line ends. */
  readonly head: readonly string[];
  readonly content: Uint8Array | string;
}

/** The bytes of a package. */
export function printPackage({
  boundary,
  parts,
  preamble = '',
  epilogue = '\r\n',
}: PackageParts): Buffer {
  const pieces: (Uint8Array | string)[] = [preamble];
  parts.forEach(({ head, content }, index) => {
    if (index > 0 || preamble !== '') pieces.push('\r\n');
    pieces.push(`--${boundary}\r\n${head.map((line) => `${line}\r\n`).join('')}\r\n`, content);
  });
  pieces.push(`\r\n--${boundary}--${epilogue}`);
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

const INCLUDE_URI = 'http://www.w3.org/2004/08/xop/include';

export const include = (href: string): string =>
  `<xop:Include xmlns:xop="${INCLUDE_URI}" href="${href}"/>`;
