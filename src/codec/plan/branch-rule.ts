/** The members of one branch may be provided: all that it requires, and none of the others. */
export interface BranchRule {
  /** One must be provided. */
  readonly required: boolean;
  readonly branches: readonly Branch[];
}

export interface Branch {
  readonly keys: readonly string[];
  /** The keys that the branch requires. */
  readonly required: readonly string[];
  /** Choices within it. */
  readonly rules: readonly BranchRule[];
}
