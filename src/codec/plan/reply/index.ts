/** Plans for reading replies, and values of any type in them. */

export type { AnyAttribute, AnyMember, AnyType, AnyTypes, Withhold } from '../any-types.js';
export { LazyObject, objectOf } from './lazy-object.js';
export type { GroupParticle, RepeatedGroup } from './repeated-group.js';
export type {
  AnyPlan,
  DecodeError,
  FaultPlan,
  FaultPlans,
  ObjectPlan,
  ObjectVariant,
  SlotSource,
  TablesPlan,
  UpstreamRefusal,
  ValuePlan,
} from './reply-plan.js';
