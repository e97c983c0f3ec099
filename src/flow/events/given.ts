import type { GraphqlContext } from '../../graphql/http.js';
import { type Admitted, admit, takesLong } from '../../graphql/run/admit.js';
import { givenParams } from '../../graphql/run/params.js';
import { turnOfLong } from '../body/lane.js';
import type { GraphqlDoor } from '../graphql.js';

/** An operation that may run as soon as its client may. */
export interface GivenOperation {
  readonly admitted: Admitted;
  /** The client may, and has paid. Throws the refusal where it may not. */
  enter(context: GraphqlContext): void;
}

type Found = Awaited<ReturnType<GraphqlDoor['persisted']['resolve']>>;

/**
 * What a client asks for over a transport that is no plain HTTP, with its document where it was only named, as soon as
 * there is time to judge it. Rejects with a `Refusal`.
 */
export async function findGiven(
  { persisted, admission }: GraphqlDoor,
  given: unknown,
  address: string,
): Promise<Found> {
  const params = await persisted.resolve(givenParams(given));
  if (takesLong(params, admission)) await turnOfLong(address);
  return params;
}

/** Judges it as over plain HTTP, which is the work. Throws a `Refusal`. */
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
