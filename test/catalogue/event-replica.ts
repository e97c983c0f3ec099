import { OrderedBus } from '../../src/pubsub/ordered-bus.js';
import type { RedisConnection } from '../../src/redis/connection.js';
import { RedisEventTransport } from '../../src/redis/events/event-transport.js';
import { connect, RecordedEvents } from '../redis/kit.js';

export const SECRET = 'a secret of the replicas';
export const TOPIC = 'on orders.Place';

export interface EventLimits {
  readonly historyEvents?: number;
  readonly announceMillis?: number;
  readonly operationMillis?: number;
  readonly queueBytes?: number;
}

/** The events of one replica: a bus over two connections. */
export class EventReplica {
  readonly recorded = new RecordedEvents();
  readonly bus: OrderedBus;
  readonly connection: RedisConnection;
  readonly subscriber: RedisConnection;
  forged = 0;

  constructor(url: string, subscriberUrl: string, limits: EventLimits) {
    const {
      historyEvents = 100,
      announceMillis = 2000,
      operationMillis = 1000,
      queueBytes = 1024 * 1024,
    } = limits;
    this.connection = connect(url, this.recorded, { operationMillis });
    this.subscriber = connect(subscriberUrl, new RecordedEvents(), { operationMillis: 1000 });
    const options = {
      prefix: 'test:',
      secret: SECRET,
      historyEvents,
      resumeMillis: 0,
      queueBytes,
      announceMillis,
      onForged: () => {
        this.forged += 1;
      },
    };
    this.bus = new OrderedBus(new RedisEventTransport(this.connection, this.subscriber, options));
  }

  get isUp(): boolean {
    return this.connection.isUp && this.subscriber.isUp;
  }

  publish(...numbers: readonly number[]): void {
    for (const n of numbers) this.bus.publish(TOPIC, { n });
  }

  async close(): Promise<void> {
    await this.bus.close();
    this.connection.close();
    this.subscriber.close();
  }
}
