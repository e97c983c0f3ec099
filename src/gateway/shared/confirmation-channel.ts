/**
 * The answer to a question that a call in some process waits for. `client`: the id of who answered.
 */
export interface ConfirmationNews {
  readonly question: string;
  readonly client: string;
  readonly isAccepted: boolean;
}

/**
 * Whether a confirmation was used now for the first time; `full`: no further one can be remembered.
 */
export type ConfirmationUse = 'new' | 'seen' | 'full';

/** Connects the confirmations of this process with those of the other workers of the gateway. */
export interface ConfirmationChannel {
  publish(news: ConfirmationNews): void;
  receive(receiver: (news: ConfirmationNews) => void): void;
  /**
   * Uses a confirmation for all workers: it is remembered until its time. Rejects where that cannot
   * be known.
   */
  use(name: string, untilMillis: number): Promise<ConfirmationUse>;
}
