import { isRecord, spelling } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { OTHER_CLASSES } from '../keys/rights-keys.js';

/** The keys of a field, before they are validated, and their path. */
interface RawField {
  readonly keys: Record<string, unknown>;
  readonly path: ConfigPath;
}

/** The fields of all services that have keys of their own, in data of whatever shape. */
function rawFields(data: Record<string, unknown>): readonly RawField[] {
  return records(data['services'], ['services']).flatMap(({ keys: service, path }) => {
    if (service['kind'] === 'graphql') return records(service['fields'], [...path, 'fields']);
    const { schema } = service;
    const types = isRecord(schema) ? schema['types'] : null;
    return records(types, [...path, 'schema', 'types']).flatMap(({ keys: type, path: at }) =>
      records(type['fields'], [...at, 'fields']),
    );
  });
}

const records = (map: unknown, path: ConfigPath): readonly RawField[] =>
  isRecord(map)
    ? Object.entries(map).flatMap(([name, keys]) =>
        isRecord(keys) ? [{ keys, path: [...path, name] }] : [],
      )
    : [];

/** Replaces `mask: last4` by `mask: { default: last4 }`. */
export function expandMasks(data: Record<string, unknown>): void {
  for (const { keys } of rawFields(data)) {
    if (typeof keys['mask'] === 'string') {
      keys['mask'] = { [OTHER_CLASSES]: keys['mask'] };
    }
  }
}

/** Each class that a mask names must exist: a mask for another class would mask nothing. */
export function maskRules(data: Record<string, unknown>): readonly Finding[] {
  const { clients } = data;
  const classes =
    isRecord(clients) && isRecord(clients['classes']) ? Object.keys(clients['classes']) : [];
  return rawFields(data).flatMap(({ keys: { mask }, path }) =>
    Object.keys(isRecord(mask) ? mask : {}).flatMap((name): readonly Finding[] => {
      if (name === OTHER_CLASSES || classes.includes(name)) return [];
      const at = [...path, 'mask', name];
      if (classes.length === 0) {
        const what = `${printPath(at)} is for a class, and \`clients\` has no \`classes\`.`;
        return [
          {
            path: at,
            part: 'key',
            what,
            remedy: 'Write `mask: last4` for all callers, or configure `clients`.',
          },
        ];
      }
      const known =
        `Known: ${classes.slice(0, CLASSES_SHOWN).join(', ')}; \`${OTHER_CLASSES}\` is for ` +
        'all that are not named.';
      const what = `${printPath(at)} is none of \`clients.classes\`.`;
      return [
        {
          path: at,
          part: 'key',
          what,
          remedy: spelling.didYouMean(name, [...classes, OTHER_CLASSES]) ?? known,
        },
      ];
    }),
  );
}

const CLASSES_SHOWN = 20;

/**
 * Gives each field with masks the one of every class: where nothing else is said of it, that of
 * `default`.
 */
export function completeMasks(data: object): void {
  const { clients, ...rest } = { clients: null, ...data };
  const classes =
    isRecord(clients) && isRecord(clients['classes']) ? Object.keys(clients['classes']) : [];
  for (const { keys } of rawFields(rest)) {
    const { mask } = keys;
    // Without classes, all clients are of one that is called as this key is.
    if (!isRecord(mask) || classes.length === 0) continue;
    const { [OTHER_CLASSES]: other } = mask;
    keys['mask'] = Object.fromEntries(
      classes.flatMap((name) => {
        const own = Object.hasOwn(mask, name) ? mask[name] : other;
        return own === undefined ? [] : [[name, own]];
      }),
    );
  }
}
