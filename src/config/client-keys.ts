import { CLASS } from './client-class.js';
import { NAME } from './formats.js';
import { HEADER_NAME } from './request-keys.js';
import { JWT, type JwtKeys } from './token-keys.js';

/** Keys about who may call, and what they may spend: the part of the table of keys for it. */

export type Identification = 'apiKey' | 'jwt' | 'certificate' | 'address';

export interface ClientKeys {
  order: readonly Identification[];
  apiKeys?: ApiKeyKeys;
  jwt?: JwtKeys;
  certificate?: CertificateKeys;
  address?: { class: string };
  trustedProxies: readonly string[];
  remembered: number;
  classes?: Record<string, ClassKeys>;
}

export interface ApiKeyKeys {
  header: string;
  clients: Record<string, { class: string; keys: readonly string[] }>;
}

export interface CertificateKeys {
  header: string;
  clients: Record<string, { class: string; subject: string }>;
  class?: string;
}

export interface ClassKeys {
  budget?: { maximum: number; restoreRate: number };
  requestsAtOnce?: number;
  allow?: readonly string[];
  deny: readonly string[];
  costBreakdown: boolean;
}

const CLIENT_NAME = 'Begin it with a letter; then letters, digits, `-` and `_`, 64 characters at most.';

const API_KEYS = {
  type: 'object',
  description: 'Clients that send a key of their own in a header field.',
  additionalProperties: false,
  required: ['header', 'clients'],
  properties: {
    header: { type: 'string', description: 'The header field.', default: 'x-api-key', ...HEADER_NAME },
    clients: {
      type: 'object',
      description: 'By name, which the log uses.',
      names: CLIENT_NAME,
      additionalProperties: false,
      patternProperties: {
        [NAME]: {
          type: 'object',
          additionalProperties: false,
          required: ['class', 'keys'],
          properties: {
            class: CLASS,
            keys: {
              type: 'array',
              description: 'Its keys, from the environment or a file; several while one replaces the other.',
              items: {
                type: 'string',
                pattern: '^[!-~]{16,512}$',
                hint: 'A key has 16 to 512 visible characters of US-ASCII.',
              },
              minItems: 1,
              maxItems: 16,
            },
          },
        },
      },
    },
  },
} as const;

const CERTIFICATE = {
  type: 'object',
  description:
    'Clients with a certificate, which a proxy has verified: it must set or remove the header field in every request.',
  additionalProperties: false,
  required: ['header', 'clients'],
  properties: {
    header: {
      type: 'string',
      description: 'The header field with the subject (or fingerprint), heeded of `trustedProxies` only.',
      default: 'x-client-certificate',
      ...HEADER_NAME,
    },
    clients: {
      type: 'object',
      description: 'By name, which the log uses.',
      names: CLIENT_NAME,
      additionalProperties: false,
      default: {},
      patternProperties: {
        [NAME]: {
          type: 'object',
          additionalProperties: false,
          required: ['class', 'subject'],
          properties: {
            class: CLASS,
            subject: { type: 'string', description: 'What the proxy writes, to the letter.', minLength: 1 },
          },
        },
      },
    },
    class: { ...CLASS, description: 'The class of clients with other certificates; without it they are refused.' },
  },
} as const;

const operationNames = (description: string) =>
  ({
    type: 'array',
    description,
    items: {
      type: 'string',
      pattern: '^(?:/[^\\s?#]{0,1024}|[^\\s./][^\\s.]{0,63}(\\.[^\\s:{}]{1,256})?)$',
      hint: 'Write the name of a service, of one of its operations (orders.GetOrder), or the path of a plain route (/files).',
    },
    maxItems: 10_000,
    uniqueItems: true,
  }) as const;

const CLASSES = {
  type: 'object',
  description: 'By name, which metrics use: what clients may do.',
  names: CLIENT_NAME,
  additionalProperties: false,
  minProperties: 1,
  patternProperties: {
    [NAME]: {
      type: 'object',
      additionalProperties: false,
      required: ['deny', 'costBreakdown'],
      properties: {
        budget: {
          type: 'object',
          description: 'What each client of the class may spend, by SOAP or GraphQL; without it there is no budget.',
          additionalProperties: false,
          required: ['maximum', 'restoreRate'],
          properties: {
            maximum: {
              type: 'integer',
              description: 'What a client can have at once.',
              unit: 'points',
              minimum: 1,
              maximum: 1_000_000_000,
              default: 1000,
            },
            restoreRate: {
              type: 'integer',
              description: 'What comes back each second.',
              unit: 'points',
              minimum: 1,
              maximum: 1_000_000_000,
              default: 100,
            },
          },
        },
        requestsAtOnce: {
          type: 'integer',
          description: 'Requests of one client in progress at once, by SOAP or GraphQL; without it there is no bound.',
          minimum: 1,
          maximum: 100_000,
        },
        allow: operationNames(
          'Services, operations (`orders`, `orders.GetOrder`) and plain routes (`/files`) it may call; by default all. Where an operation cannot be told from another by SOAPAction, a right to both is needed.',
        ),
        costBreakdown: {
          type: 'boolean',
          description:
            'Whether it may ask, with `soapstone-cost-breakdown: 1`, what each field costs, where others may not.',
          default: false,
        },
        deny: { ...operationNames('Those it may not call, even if they are allowed.'), default: [] },
      },
    },
  },
} as const;

export const CLIENT_KEYS = {
  type: 'object',
  description: 'Who may call, and what they may spend. Without `classes` every client may, without a budget.',
  additionalProperties: false,
  required: ['order', 'trustedProxies', 'remembered'],
  properties: {
    order: {
      type: 'array',
      description:
        'What clients are known by: the first that a request has decides, and is refused if it is no good. Only what is configured counts.',
      items: { type: 'string', enum: ['apiKey', 'jwt', 'certificate', 'address'] },
      minItems: 1,
      uniqueItems: true,
      default: ['apiKey', 'jwt', 'certificate', 'address'],
    },
    apiKeys: API_KEYS,
    jwt: JWT,
    certificate: CERTIFICATE,
    address: {
      type: 'object',
      description:
        'Clients without credentials, known by their address (of IPv6, by the first 64 bits); without it they are refused.',
      additionalProperties: false,
      required: ['class'],
      properties: { class: CLASS },
    },
    trustedProxies: {
      type: 'array',
      description:
        'Addresses (10.0.0.7) and networks (10.0.0.0/8) of proxies in front: what they say in X-Forwarded-For is believed, and the limits on one address (`limits.http`) are not applied to their connections. May stand alone.',
      items: {
        type: 'string',
        format: 'network',
        hint: 'Write an IP address, or a network: 10.0.0.0/8, fd00::/8.',
      },
      maxItems: 64,
      uniqueItems: true,
      default: [],
    },
    remembered: {
      type: 'integer',
      description: 'Clients whose budgets are remembered; beyond that those that spent least are forgotten.',
      minimum: 100,
      maximum: 10_000_000,
      default: 100_000,
    },
    classes: CLASSES,
  },
} as const;
