import type { eventBus } from '../core/index.js';
import type { SubscriptionLimits } from './limits.js';
import { MemoryTransport } from './memory-transport.js';
import { OrderedBus } from './ordered-bus.js';

/**
 * The bus inside the process, and the one between processes, made for the first generation that has
 * events.
 */
export class EventBuses {
  readonly #local: OrderedBus;
  readonly #makeShared: () => eventBus.EventTransport | null;
  #ofEvents: OrderedBus | null = null;

  /** `makeShared`: a transport between processes; null where there is none. */
  constructor(limits: SubscriptionLimits, makeShared: () => eventBus.EventTransport | null) {
    this.#local = new OrderedBus(new MemoryTransport(limits));
    this.#makeShared = makeShared;
  }

  busFor(hasEvents: boolean): eventBus.EventBus {
    if (!hasEvents) return this.#local;
    if (this.#ofEvents === null) {
      const transport = this.#makeShared();
      this.#ofEvents = transport === null ? this.#local : new OrderedBus(transport);
    }
    return this.#ofEvents;
  }

  async close(): Promise<void> {
    await this.#local.close();
    if (this.#ofEvents !== null && this.#ofEvents !== this.#local) {
      await this.#ofEvents.close();
    }
  }
}
