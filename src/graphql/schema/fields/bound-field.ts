import type { requestPlans } from '../../../codec/index.js';
import type { Operation } from '../../../wsdl/index.js';
import type { FieldCost } from '../types/cost-rules.js';
import type { Paging } from '../types/paging.js';
import type { ReplyShape } from '../types/shape.js';
import type { RootType } from './exposure.js';

/** An operation as GraphQL calls it: for a field of a root type, or for links only. */
export interface BoundField {
  readonly service: string;
  readonly operation: Operation;
  readonly parent: RootType | 'Subscription';
  /** '' where it is no field of the root. */
  readonly name: string;
  readonly requestPlan: requestPlans.RequestPlan;
  readonly reply: ReplyShape;
  /** The argument that holds the header blocks, or null. */
  readonly headersArgument: string | null;
  /** The cost of a call; null or absent: that of all calls. */
  readonly cost?: FieldCost | null;
  /** The pages that it is answered by; null or absent: one call answers. */
  readonly paging?: Paging | null;
}
