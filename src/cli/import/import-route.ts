import { readFile } from 'node:fs/promises';
import { ConfigurationError, type Diagnostic, diagnosis } from '../../core/index.js';
import type { fetching } from '../../upstream/index.js';

/**
 * The way to a WSDL: a proxy, and TLS. File names, and texts with `${NAME}` for variables of the
 * environment.
 */
export interface RouteOptions {
  readonly proxy: string | null;
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly passphrase: string | null;
}

export const NO_ROUTE: RouteOptions = {
  proxy: null,
  ca: null,
  cert: null,
  key: null,
  passphrase: null,
};

type Fill = (text: string, diagnostics: Diagnostic[]) => string | null;

/**
 * The options of `fetchDocument` for a way. The certificate is shown to hosts for which `isHome`
 * holds, and to no others. Throws `ConfigurationError`.
 */
export async function compileRoute(
  options: RouteOptions,
  fill: Fill,
  isHome: (url: URL) => boolean,
): Promise<Pick<fetching.FetchOptions, 'routeTo' | 'tlsFor'>> {
  const diagnostics: Diagnostic[] = [];
  const proxy = proxyOf(options.proxy, fill, diagnostics);
  const { cert: certFile, key: keyFile } = options;
  if ((certFile === null) !== (keyFile === null)) {
    diagnostics.push(diagnosis.unplaced('--cert and --key belong together.', 'Give both.'));
  }
  const ca = await contentOf('--ca', options.ca, diagnostics);
  const cert = await contentOf('--cert', certFile, diagnostics);
  const key = await contentOf('--key', keyFile, diagnostics);
  const passphrase = secretOf('--passphrase', options.passphrase, fill, diagnostics);
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
  if (ca === null && cert === null && proxy === null) return {};
  const { dial } = await import('../../upstream/index.js');
  const materialOf = (own: boolean) => {
    const parts = {
      ...(ca !== null && { ca }),
      ...(own && cert !== null && key !== null && { cert, key }),
    };
    return new dial.TlsMaterial(
      { parts, passphrase, servername: null, minVersion: '1.2', verify: 'full' },
      {},
    );
  };
  try {
    const [home, other] = [materialOf(true), materialOf(false)];
    const tlsFor = (url: URL) => (isHome(url) ? home : other);
    return {
      tlsFor: (url) => tlsFor(url).connection,
      // Without a proxy the names of hosts are resolved, and their addresses checked, by the client
      // itself.
      routeTo(url) {
        const route = dial.routeTo(url, proxy, tlsFor(url));
        return route.tunnel === null && route.forwarder === null ? null : route;
      },
    };
  } catch (error) {
    const what = `The files of --ca, --cert and --key cannot be used (${dial.tlsReason(error)}).`;
    const remedy =
      'Check that they are PEM, that the key belongs to the certificate, and the passphrase.';
    throw diagnosis.unplacedError(what, remedy);
  }
}

/** Null for none. */
function proxyOf(text: string | null, fill: Fill, diagnostics: Diagnostic[]): string | null {
  if (text === null || text === 'environment') return text;
  if (/:\/\/[^/@]*:[^/@]*@/.test(text) && !/:\/\/[^/@]*:[^/@]*\$\{[^/]*@/.test(text)) {
    diagnostics.push(
      diagnosis.unplaced('The password of --proxy stands on the command line.', BY_VARIABLE),
    );
    return null;
  }
  const filled = fill(text, diagnostics);
  if (filled === null) return null;
  if (URL.canParse(filled) && new URL(filled).protocol === 'http:') return filled;
  diagnostics.push(
    diagnosis.unplaced(
      '--proxy is no address of a proxy.',
      'Write http://host:port, or environment.',
    ),
  );
  return null;
}

function secretOf(
  option: string,
  text: string | null,
  fill: Fill,
  diagnostics: Diagnostic[],
): string | null {
  if (text === null) return null;
  if (text.includes('${')) return fill(text, diagnostics);
  diagnostics.push(
    diagnosis.unplaced(`The value of ${option} stands on the command line.`, BY_VARIABLE),
  );
  return null;
}

/** The remedy for secrets on a command line. */
export const BY_VARIABLE =
  `Write \${NAME} in single quotes and set that variable: ` + 'others can read a command line.';

async function contentOf(
  option: string,
  file: string | null,
  diagnostics: Diagnostic[],
): Promise<string | null> {
  if (file === null) return null;
  try {
    return await readFile(file, 'utf8');
  } catch {
    diagnostics.push(diagnosis.unplaced(`The file of ${option} cannot be read.`, null, file));
    return null;
  }
}
