import { NO_EXTENSIONS } from '../rights/extensions.js';
import type { FieldShape } from '../types/shape.js';

const WIRE = 'wire';

/** The extensions of a field whose elements are called otherwise; none where they are not. */
export function wireExtensions(
  name: string,
  { source, lift = [] }: Pick<FieldShape, 'source' | 'lift'>,
): Readonly<Record<string, unknown>> {
  const names = lift.map((step) => step.name.local);
  if (source.from === 'child' || source.from === 'attribute' || source.from === 'wrapped list') {
    names.push(source.name.local);
  }
  if (source.from === 'wrapped list' && source.item !== null) {
    names.push(source.item.local);
  }
  return names.every((each) => each === name) ? NO_EXTENSIONS : { [WIRE]: names };
}

/** The names of the elements and the attribute that a field is read from, where they differ. */
export function wireNamesOf({
  extensions,
}: {
  readonly extensions: Readonly<Record<string, unknown>>;
}): readonly string[] {
  const names = extensions[WIRE];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
