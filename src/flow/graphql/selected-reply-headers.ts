import {
  type Decoded,
  type FieldSlot,
  ReplyDecoder,
  type ReplyPlan,
  type replyDecoding,
} from '../../codec/index.js';
import { type StartTag, syntheticTag, TeeHandler, type XmlHandler } from '../../xml/index.js';

/**
 * The header blocks of a reply that a plan selects: its slots with the source `header`, each with a
 * decoder.
 */
export class SelectedReplyHeaders {
  readonly #parts: readonly { readonly key: string; readonly decoder: ReplyDecoder }[];
  readonly #handler: XmlHandler | null;

  private constructor(slots: readonly FieldSlot[], limits: replyDecoding.DecodeLimits) {
    this.#parts = slots.flatMap(({ key, value }) => {
      if (value.kind !== 'object') return [];
      const decoder = new ReplyDecoder(
        { element: HEADER, shape: 'whole', value, nonNull: false },
        limits,
      );
      decoder.open(syntheticTag(HEADER, 1));
      return [{ key, decoder }];
    });
    this.#handler = this.#parts.reduce<XmlHandler | null>(
      (all, { decoder }) => (all === null ? decoder : new TeeHandler(all, decoder)),
      null,
    );
  }

  /** Null where the plan selects none. */
  static of(
    { shape, value }: ReplyPlan,
    limits: replyDecoding.DecodeLimits,
  ): SelectedReplyHeaders | null {
    const slots = shape === 'whole' ? (value.declared?.slots ?? []) : [];
    const selected = slots.filter(({ source }) => source.from === 'header');
    return selected.length === 0 ? null : new SelectedReplyHeaders(selected, limits);
  }

  /** The handler of a header block. */
  open(_tag: StartTag): XmlHandler | null {
    return this.#handler;
  }

  /** The answer with its header blocks, which it has null for. */
  complete(answer: Decoded): Decoded {
    if (typeof answer.value !== 'object' || answer.value === null) return answer;
    const value: Record<string, unknown> = Object.assign(Object.create(null), answer.value);
    const errors = [...answer.errors];
    let { furtherErrors, points = 0 } = answer;
    for (const { key, decoder } of this.#parts) {
      const block = decoder.finish();
      value[key] = block.value;
      for (const error of block.errors) {
        errors.push({ ...error, path: [key, ...error.path] });
      }
      furtherErrors += block.furtherErrors;
      points += block.points ?? 0;
    }
    return { ...answer, value, errors, furtherErrors, points };
  }
}

const HEADER = { uri: '', local: '' };
