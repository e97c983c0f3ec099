/**
 * Texts from outside are cut to this many UTF-16 units before they reach a line (catalogue K03).
 */
const FIELD_UNITS_MAX = 256;
/** Values found in a request are cut to this many UTF-16 units. */
export const FOUND_UNITS_MAX = 128;
/** Names up to this length are kept as JSON. */
const KEPT_UNITS_MAX = 128;
const KEPT_MAX = 2048;

/**
 * Control characters that JSON leaves as they are: DEL, C1 (with the one-byte CSI), and the two
 * line ends of Unicode.
 */
const CONTROLS = /[\u007f-\u009f\u2028\u2029]/g;

/** Escapes every control character in the strings of a JSON text (catalogue K02). */
export const escapeControls = (json: string): string => json.replace(CONTROLS, escapeUnit);

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text from outside as JSON: cut, and no control character in it. */
export const quoteText = (text: string): string =>
  escapeControls(JSON.stringify(text.slice(0, FIELD_UNITS_MAX)));

/**
 * Names that come again and again as JSON: of the configuration, of the WSDL, of closed tables, of
 * callers' hosts.
 */
export class QuotedNames {
  readonly #quoted = new Map<string, string>();

  quote(name: string): string {
    const known = this.#quoted.get(name);
    if (known !== undefined) return known;
    const quoted = quoteText(name);
    if (name.length > KEPT_UNITS_MAX) return quoted;
    // Begun anew when full: frequent texts are soon back, and rare ones are gone.
    if (this.#quoted.size >= KEPT_MAX) {
      this.#quoted.clear();
    }
    this.#quoted.set(name, quoted);
    return quoted;
  }
}
