import { closed, flag, section, text, whole } from '../keys/key-types.js';

/**
 * Keys about documents that requests name instead of bringing them: the part of the table of keys
 * for them.
 */

export const PERSISTED_KEYS = section(
  'Documents stored by their hash at the request of callers: ' +
    'the automatic persisted queries of Apollo.',
  {
    automatic: flag(
      'Whether a document that runs is stored for requests that name its hash. ' +
        'Off, such requests get an error and clients send their documents whole. ' +
        'Give clients budgets with it: each new document costs ' +
        '`limits.persisted.registrationCost`.',
      false,
    ),
  },
);

export const TRUSTED_KEYS = closed(
  {
    manifest: text(
      'The file with them, beside this one: JSON, a map from ids to texts (Relay, GraphQL ' +
        'Code Generator) or a manifest of Apollo.',
      { minLength: 1 },
    ),
    only: flag('Whether nothing else is run, by any transport. There is no GraphiQL then.', false),
  },
  'Documents that are known beforehand, to be asked for by their id. All limits hold for them too.',
);

export const BATCH_KEY = whole(
  'Requests that may come in one POST as a list, each admitted and charged by itself, ' +
    'together within `limits.graphql.cost`; 10 is common, 0 refuses batches.',
  [0, 100],
  0,
);
