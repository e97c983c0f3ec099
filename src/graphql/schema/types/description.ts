/** Longer documentation is cut: it is for people, and every client loads it. */
const DESCRIPTION_CHARS = 2000;

/**
 * Documentation as a description: without the indentation it has in the WSDL and without blank
 * lines around it or in rows. Markup stays as it is. Null where nothing is left.
 */
export function descriptionOf(documentation: string | null): string | null {
  if (documentation === null) return null;
  // Indentation is looked at before the cut: no more of it than fits.
  const lines = documentation
    .slice(0, 2 * DESCRIPTION_CHARS)
    .split(/\r\n|\r|\n/)
    .map((line) => line.replaceAll('\t', '  ').replaceAll(UNPRINTABLE, '').trimEnd());
  const first = lines.findIndex((line) => line !== '');
  if (first === -1) return null;
  const kept = lines
    .slice(first)
    .filter((line, index, all) => line !== '' || all[index - 1] !== '');
  if (kept.at(-1) === '') {
    kept.pop();
  }
  // The first line follows its tag: its indentation has no meaning.
  const indents = kept
    .slice(1)
    .flatMap((line) => (line === '' ? [] : [line.length - line.trimStart().length]));
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  const text = [
    kept[0]?.trimStart() ?? '',
    ...kept.slice(1).map((line) => line.slice(common)),
  ].join('\n');
  const isCut = text.length > DESCRIPTION_CHARS || documentation.length > 2 * DESCRIPTION_CHARS;
  return isCut ? `${text.slice(0, DESCRIPTION_CHARS).replace(HALF_PAIR, '').trimEnd()}…` : text;
}

/**
 * The reason of a deprecation that documentation tells, at the beginning of it or of a line:
 * `DEPRECATED: use B.`. Null where it tells none; a sentence that only mentions one is no such.
 */
export function deprecationIn(documentation: string | null): string | null {
  const text = descriptionOf(documentation);
  const [, reason] = (text === null ? null : DEPRECATION.exec(text)) ?? [];
  if (reason === undefined) return null;
  return reason.trim() === '' ? 'It is deprecated.' : reason.trim();
}

const DEPRECATION =
  /^ *(?:@deprecated\b|\[deprecated\]|DEPRECATED\b|[Dd]eprecated(?=[:.;,]| ?[-\u2013\u2014]|$))[ :.;,\u2013\u2014-]*(.*)$/m;

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/g;
const HALF_PAIR = /[\ud800-\udbff]$/;
