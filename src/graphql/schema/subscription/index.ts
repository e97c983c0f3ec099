/** Events as fields: their sources and values. */

export { planOf, valuesRead } from './event-values.js';
export type {
  EventSource,
  EventTopic,
  PolledSource,
  Subscription,
  ValueReading,
} from './subscription.js';
