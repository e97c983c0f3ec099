import { declarationsOf, type Import, importsIn, isFace, type SourceFile } from './source.js';

/**
 * The packages of `src`, each after those that it may depend on. All other files are the gateway.
 */
export const PACKAGES: readonly string[] = [
  'core',
  'xml',
  'soap',
  'wss',
  'wsdl',
  'codec',
  'graphql',
  'upstream',
];

/** The package of a source file; null for files of the gateway. */
export function packageOf(path: string): string | null {
  const [root, first = '', second] = path.split('/');
  return root === 'src' && second !== undefined && PACKAGES.includes(first) ? first : null;
}

/** The names that each package offers, by its name: those of a house as `house.name`. */
export function facesOf(sources: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    sources
      .filter(({ path }) => isFace(path))
      .map(({ path }) => [packageOf(path) ?? '', [...declarationsOf(path).keys()]]),
  );
}

/** How many of these names each house of a package has, by the name of the house. */
export function housesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const [house = '', member] = name.split('.');
    if (member !== undefined) counts.set(house, (counts.get(house) ?? 0) + 1);
  }
  return counts;
}

/** How many names a face has, where a house is one. */
export const faceSize = (names: readonly string[]): number =>
  new Set(names.map((name) => name.split('.', 1)[0])).size;

/** The packages that each package imports from, in alphabetical order. */
export function packageArrows(imports: readonly Import[]): ReadonlyMap<string, readonly string[]> {
  const arrows = new Map<string, Set<string>>();
  for (const { file, target } of imports) {
    if (target === null || !target.startsWith('src/')) continue;
    const from = packageOf(file) ?? 'gateway';
    const to = packageOf(target) ?? 'gateway';
    if (from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
  }
  return new Map([...arrows].map(([from, to]) => [from, [...to].sort()]));
}

/** The packages and their arrows as a Mermaid drawing: an arrow leads to what is imported. */
export function printHouse(sources: readonly SourceFile[]): string {
  const arrows = packageArrows(sources.flatMap(importsIn));
  const all = ['gateway', ...PACKAGES.toReversed()];
  return [
    '```mermaid',
    'flowchart TD',
    ...all.flatMap((name) => {
      const to = arrows.get(name) ?? [];
      return to.length === 0 ? [] : [`  ${name} --> ${to.join(' & ')}`];
    }),
    '```',
  ].join('\n');
}
