import { isNetwork } from '../../access/network/networks.js';
import { parseRedisUrl } from '../../redis/address.js';
import {
  isHttpUrl,
  isProxy,
  isSubscriptionUrl,
  parseAddress,
  parseListenAddress,
} from '../keys/address.js';

/** Checks whether a text has a format, by the `format` of the JSON Schema. */
export const FORMAT_CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  address: (text) => parseAddress(text) !== null,
  'listen-address': (text) => parseListenAddress(text) !== null,
  'http-url': isHttpUrl,
  'subscription-url': isSubscriptionUrl,
  network: isNetwork,
  proxy: isProxy,
  'redis-url': (text) => parseRedisUrl(text) !== null,
};
