/** Keys about Redis, which replicas share: the part of the table of keys for it. */
export interface RedisKeys {
  url: string;
  username?: string;
  password?: string;
  ca?: string;
  prefix: string;
  operationMillis: number;
  replicas: number;
  secret?: string;
}

export const REDIS_KEYS = {
  type: 'object',
  description:
    'What replicas share: budgets, persisted documents, events, nonces. No budget is waited for, and all but `nonces` goes on without it. Without the key each process is alone.',
  additionalProperties: false,
  required: ['url', 'prefix', 'operationMillis', 'replicas'],
  properties: {
    url: {
      type: 'string',
      description: 'Its address: redis://host:6379/0, or rediss:// for TLS.',
      pattern: '^rediss?://[^\\s]{1,1024}$',
      hint: 'Write redis://host:port, or rediss://host:port for TLS; credentials in `username` and `password`.',
    },
    username: { type: 'string', description: 'The user of Redis.', minLength: 1 },
    password: { type: 'string', description: 'Its password, from the environment or a file.', minLength: 1 },
    ca: {
      type: 'string',
      description: 'Certificates of authorities that vouch for it, PEM: `{ file: ca.pem }`; else those of Node.',
      minLength: 1,
    },
    prefix: {
      type: 'string',
      description: 'What every key and channel begins with: gateways that share budgets share it.',
      pattern: '^[A-Za-z0-9:_.-]{1,64}$',
      hint: 'Letters, digits and `:_.-`, 64 at most.',
      default: 'soapstone:',
    },
    operationMillis: {
      type: 'integer',
      description:
        'How long it may take to answer when a request needs it (a persisted document), and ten times as long, but 400 ms at most, in the background; five times late in a row counts as away.',
      unit: 'millis',
      minimum: 1,
      maximum: 1000,
      default: 20,
    },
    replicas: {
      type: 'integer',
      description:
        'Processes that share the budgets, at least: while Redis is away each has this part of what comes back. More are counted when they are seen.',
      minimum: 1,
      maximum: 1024,
      default: 1,
    },
    secret: {
      type: 'string',
      description: 'What replicas sign events with (HMAC-SHA-256), from the environment or a file: others are dropped.',
      minLength: 16,
    },
  },
} as const;
