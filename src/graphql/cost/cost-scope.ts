import type { GraphQLNamedType } from 'graphql';
import { MOST } from './cost-table.js';
import type { Sized } from './list-length.js';

export const plus = (one: number, other: number): number => Math.min(MOST, one + other);
export const times = (one: number, other: number): number => Math.min(MOST, one * other);

/** Where selections stand. */
export interface Scope {
  readonly parent: GraphQLNamedType | undefined;
  readonly counts: Counts;
  readonly reply: Reply;
  readonly sized: readonly Sized[];
  /** Response keys with dots between them. */
  readonly path: string;
}

/** How many objects selections are for, in all replies of a call together. */
export interface Counts {
  readonly calls: number;
  readonly objects: number;
  /** Whether a list of unknown size is above them in the reply. */
  readonly isAssumed: boolean;
  /** The most objects in lists of unknown size. */
  readonly bound: number;
  /** By `replySize` of the operation: it bounds lists with an `assumedSize` too. */
  readonly isBoundConfigured: boolean;
}

/** The objects of the replies of a call, in points. */
export interface Reply {
  /** Outside lists of unknown size, and weights beyond a point for each object. */
  known: number;
  /** A point for each object of these lists; at most `bound` counts. */
  assumed: number;
  bound: number;
  /** Parts of `assumed` by path, where fields are reported. */
  readonly parts: [path: string, points: number][];
}

export const emptyReply = (bound: number): Reply => ({ known: 0, assumed: 0, bound, parts: [] });

export interface Sum {
  /** Of replies. */
  points: number;
  calls: number;
  callPoints: number;
}

export const emptySum = (): Sum => ({ points: 0, calls: 0, callPoints: 0 });

export const NOTHING_SIZED: readonly Sized[] = [];
