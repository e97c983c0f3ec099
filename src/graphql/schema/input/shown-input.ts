import type { GraphQLInputType } from 'graphql';

/** A value of the caller at one position: an argument or an input field. */
export interface InputField {
  readonly type: GraphQLInputType;
  readonly description: string | null;
  /** Absent where there is no default. */
  readonly defaultValue?: unknown;
  readonly deprecationReason?: string | null;
  readonly extensions?: Readonly<Record<string, unknown>>;
}
