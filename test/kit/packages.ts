import { type Import, importsIn, type SourceFile } from './source.js';

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

/** The exported names of each face, by the name of its package. */
export function facesOf(sources: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    sources.flatMap((source) => {
      const name = /^src\/(\w+)\/index\.ts$/.exec(source.path)?.[1];
      return name === undefined ? [] : [[name, importsIn(source).flatMap(({ names }) => names)]];
    }),
  );
}

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
