import { TLS_KEYS } from '../backend/upstream-keys.js';
import { ADDRESS, PEM } from '../keys/formats.js';
import {
  closed,
  list,
  millis,
  optional,
  type StaticOf,
  string,
  text,
  unsafe,
  whole,
} from '../keys/key-types.js';

const URL_OF_REDIS = {
  format: 'redis-url',
  hint:
    'Write redis://host:port/database, rediss://host:port for TLS, ' +
    'or unix:/run/redis/redis.sock.',
};

const username = (description: string) =>
  optional(text(description, { minLength: 1, maxLength: 512 }));
const password = (description: string) =>
  optional(text(description, { minLength: 1, maxLength: 4096 }));
const tls = (description: string) => optional({ ...TLS_KEYS, description, like: 'services.tls' });

const addresses = (description: string) =>
  list(
    string({ ...ADDRESS, hint: 'Write host:port, such as redis-1.internal:6379.' }),
    description,
    {
      minItems: 1,
      maxItems: 32,
      uniqueItems: true,
    },
  );

const SENTINEL = closed(
  {
    master: text('The name of the primary in the configuration of the sentinels.', {
      pattern: '^[A-Za-z0-9._-]{1,256}$',
      hint: 'Write the name that `sentinel monitor` gives it: mymaster.',
    }),
    nodes: addresses('The sentinels, all of them, as host:port.'),
    username: username('The user at the sentinels.'),
    password: password('Its password; a file may rotate.'),
    tls: tls(
      'TLS to the sentinels, which is used where this key is present; ' +
        'the keys are those of `services.tls`.',
    ),
  },
  'Redis behind Sentinel, instead of `url`.',
);

const CLUSTER = closed(
  { nodes: addresses('Some of its nodes, as host:port. They name the others.') },
  'Redis Cluster, instead of `url`. All keys are in one hash slot.',
);

const REDIS = closed(
  {
    url: optional(
      text('Address of one server: redis://, rediss:// for TLS, or unix:/path.', URL_OF_REDIS),
    ),
    sentinel: optional(SENTINEL),
    cluster: optional(CLUSTER),
    username: username('The user of Redis (ACL).'),
    password: password('Its password, from the environment or a file, which may rotate.'),
    database: optional(whole('Number of the database.', [0, 99_999])),
    tls: tls(
      'TLS to the servers that have the data, with the keys of `services.tls`. ' +
        'With `sentinel` and `cluster` it is used where this key is present, ' +
        'else with `rediss://`.',
    ),
    ca: optional(
      text('Earlier spelling of `tls.ca`.', { minLength: 1, maxLength: 262_144, ...PEM }),
    ),
    prefix: text(
      'Prefix of every key and channel: the same for the replicas of one gateway. ' +
        'Gateways of one prefix share budgets, nonces, persisted documents, invalidations and, ' +
        'with one `secret`, events.',
      {
        pattern: '^[A-Za-z0-9:_.-]{1,64}$',
        hint: 'Letters, digits and `:_.-`, 64 at most.',
        default: 'soapstone:',
      },
    ),
    operationMillis: millis(
      'Time limit of an operation that a request waits for (a persisted document, a nonce). ' +
        'Background operations have ten times as long, 400 ms at most. After five timeouts in a ' +
        'row Redis counts as away.',
      [1, 1000],
      20,
    ),
    replicas: whole(
      'Number of processes that share the budgets, at least that of `workers`: ' +
        'while Redis is away each spends this part of the refill. ' +
        'More are counted by their heartbeats.',
      [1, 1024],
      1,
    ),
    secret: optional(
      text(
        'Secret that signs events and replies of polls (HMAC-SHA-256), from the environment ' +
          'or a file. Those without a valid signature are dropped. ' +
          'Without it each process has its own.',
        { minLength: 16 },
      ),
    ),
  },
  'State that replicas share: budgets, persisted documents, events, nonces, invalidations of ' +
    'cached replies, polls. No request waits for a budget, and all but `nonces` works on while ' +
    'Redis is away. Without the key each process has its own state. A text is its `url`.',
);

export type RedisConfig = StaticOf<typeof REDIS>;

/**
 * The keys of Redis, or its URL alone, which the loader makes a map of. Unsafe for the reason of
 * `flagOr`.
 */
export const REDIS_KEYS = unsafe<RedisConfig>({
  ...REDIS,
  type: ['object', 'string'],
  ...URL_OF_REDIS,
});
