/**
 * XML of our own writing with an element on each line, without its declaration; text stays beside
 * its tags.
 */
export function indent(xml: string, margin: string): string {
  const lines: string[] = [];
  let depth = 0;
  let isOpen = false;
  for (const piece of piecesOf(xml)) {
    if (piece.startsWith('<?') || (lines.length === 0 && piece.trim() === '')) continue;
    const isTag = piece.startsWith('<');
    const isEnd = piece.startsWith('</');
    if (isEnd) {
      depth--;
    }
    if (!isTag || (isEnd && isOpen)) {
      lines[lines.length - 1] += piece;
    } else {
      lines.push(margin + '  '.repeat(depth) + piece);
    }
    if (isTag && !isEnd && !piece.endsWith('/>')) {
      depth++;
      isOpen = true;
    } else if (isTag) {
      isOpen = false;
    }
  }
  return lines.join('\n');
}

/** Tags and texts in turn. */
function piecesOf(xml: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < xml.length) {
    const isTag = xml[from] === '<';
    const at = xml.indexOf(isTag ? '>' : '<', from);
    const to = at === -1 ? xml.length : at + (isTag ? 1 : 0);
    pieces.push(xml.slice(from, to));
    from = to;
  }
  return pieces;
}
