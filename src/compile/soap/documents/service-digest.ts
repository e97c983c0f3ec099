import { createHash } from 'node:crypto';
import type { ServiceConfig } from '../../../config/schema.js';
import { jsonValues } from '../../../core/index.js';
import type { KnownModel } from './named-wsdl.js';

/**
 * Makes the digest of a service when it is asked for: few services share polls with other
 * processes.
 */
export function serviceDigest(config: ServiceConfig, source: KnownModel | null): () => string {
  let digest: string | null = null;
  return () => {
    if (digest !== null) return digest;
    // Only contents count: equal files may have other paths elsewhere.
    const files =
      source?.reads.list.flatMap(({ kind, result }) => (kind === 'readFile' ? [result] : [])) ?? [];
    const text = jsonValues.canonical([config, source?.taken?.id ?? null, files]);
    digest = createHash('sha256').update(text).digest('base64url');
    return digest;
  };
}
