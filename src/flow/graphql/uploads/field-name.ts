/**
 * The name of a field in its Content-Disposition (RFC 7578 section 4.2); null where there is none, or two. Names of files
 * are passed over: browsers write them as they are but for quotes and line ends, other clients put backslashes.
 */
export function fieldNameIn(disposition: string): string | null {
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

const PARAMETER = /[ \t]*;[ \t]*([\w*-]{1,64})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s";\\]*))[ \t]*/y;
