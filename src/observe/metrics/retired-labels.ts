/** The names of one configuration that are values of labels. */
export interface LabelNames {
  /** Services, and routes without envelopes; with the operations of each. */
  readonly routes: ReadonlyMap<string, ReadonlySet<string>>;
  /** The names of subscription fields. */
  readonly fields: ReadonlySet<string>;
  /** The names of client classes. */
  readonly classes: ReadonlySet<string>;
}

export type Labels = Readonly<Record<string, string | number | undefined>>;

/** Between the operations of a message that several have. */
const BETWEEN_OPERATIONS = '|';

/** Whether labels name something of `ended` that none of the `live` configurations has. */
export function retiredLabels(
  ended: LabelNames,
  live: readonly LabelNames[],
): (labels: Labels) => boolean {
  const isGone = (has: (names: LabelNames) => boolean): boolean => has(ended) && !live.some(has);
  return ({ route, service = route, operation, field, class: className }) => {
    if (typeof className === 'string' && isGone(({ classes }) => classes.has(className))) {
      return true;
    }
    if (typeof field === 'string' && isGone(({ fields }) => fields.has(field))) return true;
    if (typeof service !== 'string') return false;
    if (isGone(({ routes }) => routes.has(service))) return true;
    if (typeof operation !== 'string') return false;
    return operation
      .split(BETWEEN_OPERATIONS)
      .every((name) => isGone(({ routes }) => routes.get(service)?.has(name) === true));
  };
}
