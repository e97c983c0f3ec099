import type { Protection } from '../../../src/config/protection/protection.js';
import { PROTECTIONS } from '../../../src/config/protection/table.js';

/** The table of protections, for the manual. */
export function printProtections(): string {
  const rows = Object.values<Protection>(PROTECTIONS).map(
    ({ about, keys, absent, empty, unreachable }) => {
      const shown = keysShown(Object.keys(keys));
      return `| ${about} | ${shown} | ${absent} | ${empty} | ${unreachable ?? '-'} |`;
    },
  );
  const head = '| what | keys | absent | empty | its source cannot be reached |';
  return [head, '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

/** Keys as a configuration has them; those of several services or fields once. */
function keysShown(keys: readonly string[]): string {
  const names = keys.map((key) =>
    key
      .replaceAll('?', '')
      .replace(/^(?:graphqlServices|services)\.\*\./, '')
      .replace(/^clients\.(?:introspection|authorize)\.(?=tls\.)/, '')
      .replace(/^(?:schema\.types\.\*\.)?(?:fields|operations)\.\*\./, ''),
  );
  return [...new Set(names)].map((name) => `\`${name}\``).join(', ');
}
