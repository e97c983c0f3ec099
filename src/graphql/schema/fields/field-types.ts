import type { GraphQLNamedType, GraphQLObjectType } from 'graphql';
import type { InputTypes } from '../input/input.js';
import type { FaultTypes } from '../output/faults.js';
import type { OutputTypes } from '../output/output.js';
import type { LeafTable } from '../types/leaf.js';
import type { MemberTable } from '../types/members.js';
import type { ElementShape } from '../types/shape.js';
import type { ServiceNames } from '../types/type-names.js';
import type { HeaderTypes } from './header-types.js';

/** Everything the fields of one service are made with. */
export interface ServiceTypes {
  readonly members: MemberTable;
  readonly leaves: LeafTable;
  readonly names: ServiceNames;
  readonly input: InputTypes;
  readonly output: OutputTypes;
  readonly faults: FaultTypes;
  readonly headers: HeaderTypes;
  /** Elements of some replies may stand for others. */
  readonly hasReferences: boolean;
  /** Types of answers that stand for no one element. */
  readonly answers: GraphQLNamedType[];
  /** Types of header blocks of replies, by the names of the blocks. */
  readonly replyHeaders: Map<string, HeadersType>;
}

/** The type of `headers`, and where its fields stand. */
export interface HeadersType {
  readonly type: GraphQLObjectType;
  readonly shape: ElementShape;
}
