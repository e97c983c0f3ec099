import { errorCode } from '../../core/index.js';

/** The package `graphql` of the program that imports the schema. */
export type PeerGraphql = typeof import('graphql');

/** Releases of `graphql` that make and run a schema as it is made here. */
const MAJORS: readonly number[] = [16, 17];

/**
 * The package of the program: the gateway has a copy of its own in the bundle, whose types no other
 * copy takes. The bundle leaves the import of this file alone as it is.
 */
export const peer: PeerGraphql = await loadPeer();

async function loadPeer(): Promise<PeerGraphql> {
  const found = await import('graphql').catch((caught: unknown) => {
    if (errorCode(caught) !== 'ERR_MODULE_NOT_FOUND') throw caught;
    throw new Error(
      '`soapstone/schema` needs the package `graphql`, and it is not installed. ' +
        'Install it: npm install graphql@16',
      { cause: caught },
    );
  });
  const { major, minor, patch } = found.versionInfo;
  if (!MAJORS.includes(major)) {
    throw new Error(
      `\`soapstone/schema\` needs the package \`graphql\` 16 or 17; ${major}.${minor}.${patch} ` +
        'is installed. Install another: npm install graphql@16',
    );
  }
  return found;
}
