import { GraphQLString, getNullableType } from 'graphql';
import type { requestPlans } from '../../../codec/index.js';
import type { MixedNames } from '../types/mixed.js';
import type { InputSources } from './input-field.js';
import type { InputField } from './shown-input.js';

/** The text beside the elements, or all of it as XML: then no element is required any more. */
export function addMixed(
  { fields, plan }: { readonly fields: Map<string, InputField>; readonly plan: MixedPlan },
  mixed: MixedNames,
  { leaves }: InputSources,
): void {
  plan.mixed = mixed;
  for (const [key, field] of fields) {
    fields.set(key, { ...field, type: getNullableType(field.type) });
  }
  fields.set(mixed.text, { type: GraphQLString, description: 'The text, before the elements.' });
  fields.set(mixed.xml, {
    type: leaves.xml,
    description: 'The whole element as XML, instead of all else.',
  });
}

type MixedPlan = Pick<requestPlans.EncodeObject, 'kind'> & { mixed?: MixedNames };
