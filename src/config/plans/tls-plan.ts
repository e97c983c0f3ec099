import type { RotatingText } from '../../gateway/rotating-text.js';
import { dial } from '../../upstream/index.js';
import type { ServiceConfig } from '../schema.js';
import type { ConfigSection } from '../section.js';

type TlsKeys = NonNullable<ServiceConfig['tls']>;

/** `tls` of connections to other servers. */
export interface TlsPlan {
  readonly keys: TlsKeys;
  /** The certificates, keys and authorities that are given. */
  readonly texts: Partial<Readonly<Record<dial.TlsPart, RotatingText>>>;
}

/** Reads `tls` of a section; null where it has none. */
export function readTls(section: ConfigSection<{ readonly tls?: TlsKeys }>): TlsPlan | null {
  const { tls: keys } = section.value;
  if (keys === undefined) return null;
  const texts: Partial<Record<dial.TlsPart, RotatingText>> = {};
  for (const part of dial.TLS_PARTS) {
    const text = keys[part];
    if (text !== undefined) {
      texts[part] = section.textAt(['tls', part], text, part === 'pfx' ? 'base64' : 'utf8');
    }
  }
  return { keys, texts };
}
