/** Characters of arguments that a question shows. */
const SHOWN_CHARS_MAX = 4000;
/** Characters of an argument that is cut, and of a name. */
const CUT_CHARS = 100;
/** Arguments that are cut and named; of others only the number is told. */
const CUT_NAMES_MAX = 20;

/**
 * The question to a person whether a tool may be called: its arguments whole, the shortest first;
 * of those for which there is no room the name, the length and the beginning. A person must see
 * what is left out.
 */
export function questionText(tool: string, values: Readonly<Record<string, unknown>>): string {
  const printed = Object.entries(values).map(([name, value]) => ({
    name: printable(JSON.stringify(name)),
    text: printable(JSON.stringify(value) ?? 'null'),
  }));
  printed.sort((one, other) => one.text.length - other.text.length);
  const shown: string[] = [];
  let room = SHOWN_CHARS_MAX;
  let further = 0;
  for (const { name, text } of printed) {
    const isShort = name.length <= CUT_CHARS && name.length + text.length <= room;
    room -= isShort ? name.length + text.length : 0;
    if (isShort) {
      shown.push(`${name}: ${text}`);
    } else if (shown.length < CUT_NAMES_MAX || room > CUT_CHARS) {
      room -= 2 * CUT_CHARS;
      shown.push(
        `${cut(name)}: ${cut(text)} (CUT: ${text.length} characters, of which ` +
          `${CUT_CHARS} are shown)`,
      );
    } else {
      further++;
    }
  }
  if (further > 0) {
    shown.push(`and ${further} arguments that are NOT SHOWN`);
  }
  return shown.length === 0
    ? `Call ${tool} without arguments?`
    : `Call ${tool} with ${shown.join(', ')}?`;
}

const cut = (text: string): string =>
  text.length <= CUT_CHARS ? text : `${text.slice(0, CUT_CHARS)}...`;

/** Characters that are not seen, or change the order of others, by their codes. */
const printable = (json: string): string =>
  json.replace(
    /[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
