import { pages } from '../graphql/index.js';

const FILES = [
  { name: 'console.css', type: 'text/css; charset=utf-8' },
  { name: 'console.js', type: 'text/javascript; charset=utf-8' },
] as const;

/** Their folder, seen from a file of this one: the build puts them there. */
const FOLDER = new URL('./page/', import.meta.url);

/** The page, and its files by path. */
export interface ConsolePage {
  readonly html: string;
  readonly files: ReadonlyMap<string, pages.Asset>;
}

/** Rejects when the build has left out the files. */
export async function readConsole(): Promise<ConsolePage> {
  const { version, byName } = await pages.readAssets(FOLDER, FILES);
  // Relative, so that the page also works below a path of a proxy in front.
  const folder = `console/${version}/`;
  return {
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Soapstone</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}console.css">
<script type="module" src="${folder}console.js"></script>
<body>
<noscript>The console needs scripts. Metrics are at /metrics.</noscript>
</body>
</html>
`,
    files: new Map([...byName].map(([name, asset]) => [`/${folder}${name}`, asset])),
  };
}
