import type { ReplyPlan, replyDecoding } from '../../codec/index.js';
import { WrittenJson } from './written-json.js';

/** Items that become text by one call of `JSON.stringify`, which costs more than a small item. */
const ITEMS_AT_ONCE = 64;

/**
 * The items of the list that a field answers with. Those of a long list become JSON text while it
 * is read: objects that are gone by then cost the collector nothing, which is a third of the
 * processor time of a large answer.
 */
export class WrittenItems implements replyDecoding.ItemReceiver {
  readonly isBounded = true;
  #items: unknown[] = [];
  #text = '';

  /** Whether a plan answers with a list and nothing else. */
  static fit({ shape, value }: ReplyPlan): boolean {
    return shape === 'unwrap' && value.declared?.slots[0]?.list === true;
  }

  item(value: unknown): void {
    if (this.#items.push(value) < ITEMS_AT_ONCE) return;
    this.#write();
  }

  flush(): null {
    return null;
  }

  /**
   * The list whose items came; `kept` where it is null, and where its items were not handed out.
   */
  listFor(kept: unknown): unknown {
    if (!Array.isArray(kept) || (this.#text === '' && this.#items.length === 0)) return kept;
    if (this.#text === '') return this.#items;
    if (this.#items.length > 0) {
      this.#write();
    }
    return new WrittenJson(`[${this.#text}]`);
  }

  #write(): void {
    const items = JSON.stringify(this.#items).slice(1, -1);
    this.#text = this.#text === '' ? items : `${this.#text},${items}`;
    this.#items = [];
  }
}
