import { type AdminListenerConfig, listenersOf } from '../listen/listen-keys.js';
import type { ConfigChange, Weakening } from './protection.js';

/**
 * Addresses for operators that asked for credentials and do so no longer. Their order needs a
 * restart to change.
 */
export function openAdmin({ before, after }: ConfigChange): readonly Weakening[] {
  const earlier = listenersOf<AdminListenerConfig>(before.admin);
  return listenersOf<AdminListenerConfig>(after.admin).flatMap(
    ({ listener, path }, index): readonly Weakening[] => {
      if (asks(listener) || !asks(earlier[index]?.listener ?? {})) return [];
      return [{ path: ['admin', ...path], what: 'asks operators for no credentials any more' }];
    },
  );
}

const asks = (listener: object): boolean => 'basic' in listener || 'bearer' in listener;
