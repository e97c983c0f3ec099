import { closed, integer, optional, string } from './key-types.js';

/** The keys of Redis in the configuration. */
export const REDIS_KEYS = closed(
  {
    url: string({
      description: 'Address of Redis: redis://host:6379/0, or rediss:// for TLS.',
      pattern: '^rediss?://[^\\s]{1,1024}$',
      hint: 'Write redis://host:port, or rediss://host:port for TLS; credentials in `username` and `password`.',
    }),
    username: optional(string({ description: 'The user of Redis.', minLength: 1 })),
    password: optional(string({ description: 'Its password, from the environment or a file.', minLength: 1 })),
    ca: optional(
      string({
        description: 'Trusted certificate authorities, PEM: `{ file: ca.pem }`; else those of Node.',
        minLength: 1,
      }),
    ),
    prefix: string({
      description: 'Prefix of every key and channel: the same for all gateways that share budgets.',
      pattern: '^[A-Za-z0-9:_.-]{1,64}$',
      hint: 'Letters, digits and `:_.-`, 64 at most.',
      default: 'soapstone:',
    }),
    operationMillis: integer({
      description:
        'Time limit of an operation that a request waits for (a persisted document, a nonce). Background operations have ten times as long, 400 ms at most. After five timeouts in a row Redis counts as away.',
      unit: 'millis',
      minimum: 1,
      maximum: 1000,
      default: 20,
    }),
    replicas: integer({
      description:
        'Number of processes that share the budgets: while Redis is away each spends this part of the refill. More are counted by their heartbeats.',
      minimum: 1,
      maximum: 1024,
      default: 1,
    }),
    secret: optional(
      string({
        description:
          'Secret that signs events (HMAC-SHA-256), from the environment or a file. Events without a valid signature are dropped.',
        minLength: 16,
      }),
    ),
  },
  {
    description:
      'State that replicas share: budgets, persisted documents, events, nonces. No request waits for a budget, and all but `nonces` works on while Redis is away. Without the key each process has its own state.',
  },
);
