import type { refusals } from '../../../core/index.js';
import { codedError, DocumentRefusal } from '../../errors.js';
import type { DearestField } from './cost.js';

/** An operation that costs more than it may. */
export interface TooDear {
  /** Estimated, in points. */
  readonly points: number;
  /** Null where only introspection costs. */
  readonly dearest: DearestField | null;
  /** Whether messages may reveal the schema. */
  readonly isOpen: boolean;
}

/**
 * Refuses an operation by its cost: the error has the figures, the dearest field, the key and the
 * remedies.
 */
export function costRefusal(
  { points, dearest, isOpen }: TooDear,
  limit: refusals.ExceededLimit,
): DocumentRefusal {
  const named = dearest === null ? null : { ...figuresOf(dearest), field: nameOf(dearest, isOpen) };
  const most =
    named === null ? '' : ` The dearest field is \`${named.field}\`: ${printFigures(named)}.`;
  const message =
    `The operation costs more than allowed: ${points} points, ` + `and ${limit.value} are.${most}`;
  const cost = {
    requestedQueryCost: points,
    limit: limit.value,
    key: limit.key,
    dearest: named,
    remedy: remedyOf(dearest, limit.key),
  };
  const place = dearest === null ? {} : { nodes: [dearest.node] };
  return new DocumentRefusal(
    'MAX_COST_LIMIT',
    [codedError('MAX_COST_LIMIT', place, message, { cost })],
    {
      found: points,
      limit,
    },
  );
}

const figuresOf = ({ points, calls }: DearestField) => ({ points: Math.ceil(points), calls });

/** Leaves out the type where the schema is closed: only the name in the document is shown. */
const nameOf = ({ node, parent }: DearestField, isOpen: boolean): string =>
  isOpen ? `${parent}.${node.name.value}` : node.name.value;

function printFigures({ points, calls }: Pick<DearestField, 'points' | 'calls'>): string {
  return (
    `${points} ${points === 1 ? 'point' : 'points'} by ${calls} ` +
    `${calls === 1 ? 'call' : 'calls'}`
  );
}

/** The remedies: in the query, and in the configuration. */
function remedyOf(dearest: DearestField | null, key: string): string {
  const isMany = dearest !== null && dearest.calls > 1;
  const query = isMany
    ? 'Query: select it below fewer objects, or in requests of its own.'
    : 'Query: ask for shorter lists, or divide it into several requests.';
  const keys = isMany
    ? '`batch` of the link makes one call for many objects; `listSize` of the list ' +
      'above sets their number.'
    : '`replySize` of the operation is the size of its replies; `listSize` and `cost` of the ' +
      'field are its length and weight.';
  return (
    `${query} Configuration: ${keys} \`soapstone suggest\` prints measured sizes; ` +
    `\`${key}\` is the limit.`
  );
}
