import { fileURLToPath } from 'node:url';
import { inputFiles } from '../../core/index.js';

/** The WSDLs of the bundled backend, each with the path of its service there. */
export const DEMO_WSDLS = ['legacy.wsdl', 'archive.wsdl'] as const;

const PREFIX = 'demo:';

/** The name in `demo:legacy.wsdl`; null for the path of a file. */
export const demoNameOf = (wsdl: string): string | null =>
  wsdl.startsWith(PREFIX) ? wsdl.slice(PREFIX.length) : null;

/** The path of a WSDL of the package that a configuration names; null for files of its own. */
export function demoFileOf(wsdl: string): string | null {
  const name = DEMO_WSDLS.find((each) => each === demoNameOf(wsdl));
  return name === undefined
    ? null
    : fileURLToPath(new URL(`config/demo/${name}`, inputFiles.PACKAGE_FOLDER));
}
