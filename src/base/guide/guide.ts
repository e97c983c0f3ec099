/** What a refusal means to the caller and to the operator, besides its public text. */
export interface RefusalGuide {
  /** The reason: the rule of a specification, or the attack that it prevents. */
  readonly why: string;
  /** The remedy: first of the caller, then the key of the configuration. */
  readonly change: string;
}
