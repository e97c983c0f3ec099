import type { requestPlans } from '../../../codec/index.js';

/** The choices among the members of an object, in words; null where it has none. */
export function choiceText(value: requestPlans.EncodeValue | null): string | null {
  if (value?.kind === 'array') return choiceText(value.item);
  if (value?.kind !== 'object') return null;
  const { choices, branches = [] } = value;
  const sentences = [
    ...choices.map((keys) => `Exactly one must be given: ${keys.map(code).join(', ')}.`),
    ...branches.map(ruleText),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

const ruleText = ({ required, branches }: requestPlans.BranchRule): string => {
  const parts = branches.map(({ keys }) =>
    keys.length === 1 ? keys.map(code).join('') : `(${keys.map(code).join(', ')})`,
  );
  return `${required ? 'Exactly one must' : 'At most one may'} be given: ${parts.join(', ')}.`;
};

const code = (name: string): string => `\`${name}\``;
