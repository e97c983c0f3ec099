/** Plans for writing requests. */

export type { ItemRange } from '../item-range.js';
export type { ChildPositions, LiftedMember, LiftStep } from '../lift-step.js';
export type { ContentEvent } from './content-events.js';
export type {
  Branch,
  BranchRule,
  EncodeAttribute,
  EncodeElement,
  EncodeObject,
  EncodeSource,
  EncodeValue,
  EncodeVariant,
} from './encode-plan.js';
export type {
  BlockPlan,
  EncodeAttachment,
  RequestPlan,
  TemplateEvent,
  TemplatePart,
} from './request-plan.js';
