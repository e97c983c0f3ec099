import type { GraphqlContext } from '../../graphql/http.js';
import { type Admitted, admit } from '../../graphql/run/admit.js';
import { givenParams } from '../../graphql/run/params.js';
import type { GraphqlDoor } from '../graphql.js';

/** An operation that may run as soon as its client may. */
export interface GivenOperation {
  readonly admitted: Admitted;
  /** The client may, and has paid. Throws the refusal where it may not. */
  enter(context: GraphqlContext): void;
}

/** Admits what a client asks for over a transport that is no plain HTTP: the same as there. Rejects with a `Refusal`. */
export async function admitGiven(door: GraphqlDoor, given: unknown): Promise<GivenOperation> {
  return admitFound(door, await findGiven(door, given));
}

type Found = Awaited<ReturnType<GraphqlDoor['persisted']['resolve']>>;

/** What is asked for, with its document where it was only named. Rejects with a `Refusal`. */
export const findGiven = async ({ persisted }: GraphqlDoor, given: unknown): Promise<Found> =>
  persisted.resolve(givenParams(given));

/** Judges it, which is the work. Throws a `Refusal`. */
export function admitFound({ persisted, admission }: GraphqlDoor, params: Found): GivenOperation {
  const admitted = admit(params, admission);
  return {
    admitted,
    enter(context) {
      context.admitted?.(admitted);
      persisted.register(params, (points) => context.pay?.(points) ?? true);
    },
  };
}
