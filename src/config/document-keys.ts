/** Keys about documents that requests name instead of bringing them: the part of the table of keys for them. */
export interface PersistedKeys {
  automatic: boolean;
}

export const PERSISTED_KEYS = {
  type: 'object',
  description: 'Documents that callers have remembered by their hash: the automatic persisted queries of Apollo.',
  additionalProperties: false,
  default: {},
  required: ['automatic'],
  properties: {
    automatic: {
      type: 'boolean',
      description:
        'Whether a document that runs is remembered for whoever names its hash. Off, clients are told and send their documents whole. Give clients budgets with it: each new document costs `limits.persisted.registrationCost`.',
      default: false,
    },
  },
} as const;

export interface TrustedKeys {
  manifest: string;
  only: boolean;
}

export const TRUSTED_KEYS = {
  type: 'object',
  description: 'Documents that are known beforehand, to be asked for by their id. All limits hold for them too.',
  additionalProperties: false,
  required: ['manifest', 'only'],
  properties: {
    manifest: {
      type: 'string',
      description:
        'The file with them, beside this one: JSON, a map from ids to texts (Relay, GraphQL Code Generator) or a manifest of Apollo.',
      minLength: 1,
    },
    only: {
      type: 'boolean',
      description: 'Whether nothing else is run, by any transport. There is no GraphiQL then.',
      default: false,
    },
  },
} as const;

export const BATCH_KEY = {
  type: 'integer',
  description:
    'Requests that may come in one POST as a list, each admitted and charged by itself, together within `limits.graphql.cost`; 10 is usual, 0 refuses batches.',
  minimum: 0,
  maximum: 100,
  default: 0,
} as const;
