/** What is done to a document: to one of its elements without children, or between its tags. */
export function mutant(document: string, random: () => number): string {
  const tokens = document.match(/<[^>]+>|[^<]+/g) ?? [];
  const leaves = tokens.flatMap((token, at) => {
    if (!/^<[^/][^>]*[^/]>$/.test(token) || at === 0)
      return token.endsWith('/>') ? [[at, at] as const] : [];
    const end = tokens[at + 1]?.startsWith('</')
      ? at + 1
      : tokens[at + 2]?.startsWith('</')
        ? at + 2
        : -1;
    return end < 0 || (end === at + 2 && tokens[at + 1]?.startsWith('<'))
      ? []
      : [[at, end] as const];
  });
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const [from, to] = pick(leaves) ?? [1, 1];
  const before = tokens.slice(0, from).join('');
  const leaf = tokens.slice(from, to + 1).join('');
  const after = tokens.slice(to + 1).join('');
  const start = tokens[from] ?? '';
  const name = /^<([^\s/>]+)/.exec(start)?.[1] ?? 'x';
  const attributes = start.slice(name.length + 1).replace(/\/?>$/, '');
  switch (Math.floor(random() * 9)) {
    case 0:
      return `${before}${after}`;
    case 1:
      return `${before}${leaf}${leaf}${after}`;
    case 2:
      return `${before}<${name}${attributes}>?</${name}>${after}`;
    case 3:
      return `${before}<${name}${attributes}></${name}>${after}`;
    case 4:
      return `${before}${leaf}<unknown/>${after}`;
    case 5:
      return `${before}${leaf} text ${after}`;
    case 6:
      return (
        `${before}<${name}${attributes} unknown="1">${leaf.slice(start.length)}` +
        `${to === from ? `</${name}>` : ''}${after}`
      );
    case 7:
      return (
        `${before}<${name}${attributes.replace(/ xsi:nil="true"/, '')} ` +
        `xsi:nil="true"/>${after}`
      );
    default: {
      const other = pick(leaves) ?? [from, to];
      return `${before}${tokens.slice(other[0], other[1] + 1).join('')}${after}`;
    }
  }
}
