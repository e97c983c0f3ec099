import type { MappedOperation } from '../../config/graphql/operation-keys.js';
import type { schemaMapping } from '../../graphql/index.js';

/** The pages of an operation, and the arguments that the gateway fills for them. */
interface MappedPages {
  readonly mapping: schemaMapping.PagesMapping;
  readonly filled: readonly schemaMapping.FilledArgument[];
}

/** The mapping of the pages of an operation; null for one that answers at once. */
export function mappedPages(operation: string, { pages }: MappedOperation): MappedPages | null {
  if (pages === undefined) return null;
  const path = ['operations', operation, 'pages'];
  const { page, offset, cursor, first, items, total } = pages;
  const kind = page !== undefined ? 'page' : offset !== undefined ? 'offset' : 'cursor';
  const argument = page ?? offset ?? cursor?.argument ?? '';
  const [sized] = Object.entries(pages.size);
  const [sizeArgument, size] = sized ?? ['', 1];
  const told = total?.items !== undefined ? 'items' : 'pages';
  const totalPath = total?.[told];
  return {
    mapping: {
      kind,
      first: kind === 'page' ? first : 0,
      size,
      items,
      total: totalPath === undefined ? null : { of: told, path: totalPath },
      next: cursor?.next ?? null,
      path,
    },
    filled: [
      {
        argument,
        source: { from: 'page', isNumber: kind !== 'cursor' },
        path: [...path, kind, ...(kind === 'cursor' ? ['argument'] : [])],
      },
      {
        argument: sizeArgument,
        source: { from: 'constant', lexical: String(size) },
        path: [...path, 'size', sizeArgument],
      },
    ],
  };
}
