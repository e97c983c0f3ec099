import type { QName } from '../../../xml/index.js';
import type { ContentEvent } from './content-events.js';
import type { EncodeElement, EncodeObject, EncodeSource } from './encode-plan.js';

/** A header block that the configuration gives whole. */
export type BlockPlan =
  /** `isOptional`: it is left out where none of its values is there. */
  | { readonly kind: 'element'; readonly element: EncodeElement; readonly isOptional: boolean }
  | { readonly kind: 'template'; readonly name: QName; readonly events: readonly TemplateEvent[] };

/** A part of a template: constant, or with values in it. */
export type TemplateEvent =
  | ContentEvent
  | { readonly kind: 'filled text'; readonly parts: readonly TemplatePart[] }
  | {
      readonly kind: 'filled attribute';
      readonly name: QName;
      readonly parts: readonly TemplatePart[];
    };

/** A constant text, or a value by its name in the template. */
export type TemplatePart =
  | string
  | { readonly name: string; readonly source: EncodeSource; readonly isRequired: boolean };

/** An argument that is sent as a part beside the envelope. */
export interface EncodeAttachment {
  /** The name of the argument, in base64. */
  readonly key: string;
  /** The name of the part in the WSDL. */
  readonly part: string;
  readonly mediaType: string;
}

/** The request of one operation. */
export interface RequestPlan {
  /**
   * The child of Body, or null for an empty Body. Without a name the value is Body itself, with
   * several children.
   */
  readonly body: { readonly name: QName | null; readonly value: EncodeObject } | null;
  /** Header blocks, each an argument inside `headers`. */
  readonly headers: readonly EncodeElement[];
  /** Header blocks without a part that callers give. */
  readonly blocks?: readonly BlockPlan[];
  /** Parts beside the envelope; absent: there are none. */
  readonly attachments?: readonly EncodeAttachment[];
  /** True if the rules of SOAP encoding apply: every element names its type. */
  readonly encoded?: boolean;
}
