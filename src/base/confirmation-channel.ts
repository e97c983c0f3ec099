/** What processes tell each other about the confirmations of persons. */
export type ConfirmationNews =
  /**
   * The answer to a question that a call in some process waits for. `client`: the id of who
   * answered.
   */
  | {
      readonly kind: 'answer';
      readonly question: string;
      readonly client: string;
      readonly isAccepted: boolean;
    }
  /** A confirmation was used, and must not be taken again until its time. */
  | { readonly kind: 'used'; readonly name: string; readonly untilMillis: number };

/** Carries news of confirmations to the other workers of the gateway. */
export interface ConfirmationChannel {
  publish(news: ConfirmationNews): void;
  receive(receiver: (news: ConfirmationNews) => void): void;
}
