/** An error or a warning about an input of the operator: configuration, WSDL, schema. */
export interface Diagnostic {
  /** The file as the operator named it; null without a file. */
  readonly file: string | null;
  /** 1-based; null when unknown. */
  readonly line: number | null;
  readonly column: number | null;
  /** The error, in one sentence. */
  readonly what: string;
  /** The remedy, in one sentence; null when that is obvious. */
  readonly remedy: string | null;
  /** A sentence that several diagnostics share; a list of warnings has them as one. */
  readonly cause?: string;
}

/**
 * The configuration, or a file that it names, cannot be used. Carries every error found, not only
 * the first.
 */
export class ConfigurationError extends Error {
  readonly diagnostics: readonly Diagnostic[];
  /** It could be used, but takes protection away that no operator has asked to take away. */
  readonly isWeaker: boolean;

  constructor(
    diagnostics: readonly Diagnostic[],
    { isWeaker = false }: { readonly isWeaker?: boolean } = {},
  ) {
    super(diagnostics.map(printDiagnostic).join('\n'));
    this.name = 'ConfigurationError';
    this.diagnostics = diagnostics;
    this.isWeaker = isWeaker;
  }
}

/** The diagnostics of an error that is one of the configuration. Throws any other error. */
export function errorDiagnostics(error: unknown): readonly Diagnostic[] {
  if (error instanceof ConfigurationError) return error.diagnostics;
  throw error;
}

/** `file:line:column: what (remedy)`, the form editors and terminals make a link of. */
export function printDiagnostic(diagnostic: Diagnostic): string {
  const place = [diagnostic.file, diagnostic.line, diagnostic.column]
    .filter((part) => part !== null)
    .join(':');
  const remedy = diagnostic.remedy === null ? '' : ` ${diagnostic.remedy}`;
  return `${place === '' ? '' : `${place}: `}${diagnostic.what}${remedy}`;
}

/** A diagnostic of no place in a file: of a whole file, or of none. */
export const unplaced = (
  what: string,
  remedy: string | null,
  file: string | null = null,
): Diagnostic => ({
  file,
  line: null,
  column: null,
  what,
  remedy,
});

/** The error of one such diagnostic. */
export const unplacedError = (
  what: string,
  remedy: string | null,
  file: string | null = null,
): ConfigurationError => new ConfigurationError([unplaced(what, remedy, file)]);

/**
 * The first problem of an input that could not be used, as text; of an error of the gateway its
 * name and message.
 */
export function firstProblem(error: unknown): string {
  const first = error instanceof ConfigurationError ? error.diagnostics[0] : undefined;
  return first === undefined ? String(error) : printDiagnostic(first);
}

/** A large WSDL may give thousands. */
const WARNINGS_SHOWN = 50;

/** The first warnings, and how many more there are. */
export function firstWarnings(warnings: readonly Diagnostic[]): readonly Diagnostic[] {
  const rest = warnings.length - WARNINGS_SHOWN;
  if (rest <= 0) return warnings;
  const what = `There are ${rest} more warnings.`;
  return [...warnings.slice(0, WARNINGS_SHOWN), unplaced(what, null)];
}
