import type { QName } from '../../xml/events.js';
import { CLOSE, type ContentEvent } from '../plan/content-events.js';
import type { EncodeElement } from '../plan/plan.js';
import type { InputPath } from './input-error.js';
import type { EncodeLimits } from './leaves.js';
import type { RequestContext } from './source.js';

/** A value that is still to be written: values nest as deep as the client's input. */
export type Task =
  | { readonly kind: 'event'; readonly event: ContentEvent }
  /** A member of an object, which may be a list or not be there. */
  | { readonly kind: 'member'; readonly element: EncodeElement; readonly value: unknown; readonly path: InputPath }
  | {
      readonly kind: 'element';
      readonly element: EncodeElement;
      readonly name: QName;
      readonly value: unknown;
      readonly path: InputPath;
    };

export const CLOSE_TASK: Task = { kind: 'event', event: CLOSE };

/** Limits and context of the content of one request. */
export interface ContentOptions {
  readonly limits: EncodeLimits;
  readonly context?: RequestContext;
  /** The namespace of the SOAP encoding, where the message is encoded; else null. */
  readonly encodingUri?: string | null;
}
