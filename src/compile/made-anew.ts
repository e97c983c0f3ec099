import { FindingsError } from '../config/keys/finding.js';
import { ConfigurationError } from '../core/index.js';
import { currentText, type RotatingText } from '../gateway/rotating-text.js';

/**
 * What `make` makes of texts whose files may change, made anew when one of them has changed. What
 * then throws `FindingsError` leaves that of before: a file may be half written. What is made
 * first may throw anything.
 */
export function madeAnew<T>(
  texts: readonly RotatingText[],
  make: (contents: readonly string[]) => T,
): () => T {
  let contents = texts.map(currentText);
  let made = make(contents);
  return () => {
    if (texts.every((text, index) => currentText(text) === contents[index])) return made;
    const next = texts.map(currentText);
    try {
      made = make(next);
    } catch (error) {
      if (!(error instanceof ConfigurationError || error instanceof FindingsError)) throw error;
    }
    contents = next;
    return made;
  };
}
