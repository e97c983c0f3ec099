import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The bill of materials in the format of CycloneDX 1.6: the packages of which something is in the
 * bundle, and which of them imports which. It has no time and no serial number, so the same sources
 * make the same bytes.
 *
 * @param {readonly string[]} folders of these packages, seen from the root
 * @param {readonly import('esbuild').Metafile[]} metafiles of the bundles
 */
export function billOfMaterials(folders, metafiles) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const gateway = componentOf('.', 'application');
  const components = folders.map((folder) => ({
    ...componentOf(folder, 'library'),
    ...hashesOf(lock.packages[folder].integrity),
  }));
  const refs = new Map(folders.map((folder, index) => [folder, components[index]['bom-ref']]));
  const imports = new Map([...refs.values()].map((ref) => [ref, new Set()]));
  for (const [path, input] of metafiles.flatMap(({ inputs }) => Object.entries(inputs))) {
    const from = refs.get(packageFolder(path));
    const to = input.imports.map((each) => refs.get(packageFolder(each.path)));
    for (const ref of to)
      if (from !== undefined && ref !== undefined && ref !== from) imports.get(from).add(ref);
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: gateway },
    components,
    dependencies: [[gateway['bom-ref'], refs.values()], ...imports].map(([ref, on]) => ({
      ref,
      dependsOn: [...on].sort(),
    })),
  };
}

/** The folder of the package that a file belongs to; null for a file of ours. */
export const packageFolder = (path) =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;

function componentOf(folder, type) {
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  if (typeof license !== 'string') throw new Error(`${name} names no licence`);
  const [group, own = null] = name.split('/');
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type,
    'bom-ref': purl,
    ...(own === null ? { name } : { group, name: own }),
    version,
    ...(description === undefined ? {} : { description }),
    licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
  };
}

/**
 * Of the lock file: the algorithm, and the digest in base64. A package that another one brings has
 * none.
 */
function hashesOf(integrity) {
  if (integrity === undefined) return {};
  const [algorithm, digest] = integrity.split('-');
  const content = Buffer.from(digest, 'base64').toString('hex');
  return { hashes: [{ alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content }] };
}
