import { flag, oneOf, section } from '../keys/key-types.js';

/** How a change of the configuration comes into use. */
export const RELOAD_KEYS = section(
  'How a changed configuration comes into use, besides SIGHUP and `POST /reload`.',
  {
    watch: flag(
      'Whether a change of the configuration, or of a file it names, is a reload: ' +
        'a second after the last change, later with thousands of files. ' +
        'Kubernetes volumes are followed.',
      true,
    ),
    weaker: oneOf(
      ['refuse', 'take'],
      'What happens to changed files that take protection away, such as `clients` or a mask: ' +
        '`refuse` leaves the configuration in use until an operator asks for the reload; ' +
        '`take` is for files that a platform writes, such as a ConfigMap. ' +
        'Each is logged and counted.',
      'refuse',
    ),
  },
);
