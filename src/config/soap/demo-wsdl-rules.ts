import type { ConfigPath } from '../keys/config-path.js';
import { DEMO_WSDLS, demoFileOf, demoNameOf } from '../keys/demo-files.js';
import type { Finding } from '../keys/finding.js';

/** `demo:` names a WSDL that the package has. */
export function demoWsdlRules(
  { wsdl }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  const name = typeof wsdl === 'string' ? demoNameOf(wsdl) : null;
  if (typeof wsdl !== 'string' || name === null || demoFileOf(wsdl) !== null) return [];
  const what = `The package has no WSDL \`${name.slice(0, 128)}\` of the demonstration.`;
  const known = DEMO_WSDLS.map((each) => `\`demo:${each}\``).join(' or ');
  const remedy = `Write ${known}, or the path of a file of yours.`;
  return [{ path: [...path, 'wsdl'], part: 'value', what, remedy }];
}
