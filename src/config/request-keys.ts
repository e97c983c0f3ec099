import { GRAPHQL_NAME } from './formats.js';

/** Keys of one operation about what its requests hold: where arguments and header blocks come from. */

export interface RequestEntry {
  name?: string;
  value?: string;
  header?: string;
  claim?: string;
}

/** By the path of XML names: `Order/Customer/@id`. */
export type RequestEntries = Record<string, RequestEntry>;

const ENTRY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: {
      type: 'string',
      description: 'The name of the argument, instead of that by rule.',
      pattern: `^${GRAPHQL_NAME}$`,
      hint: 'Write a GraphQL name: letters, digits and _, no digit first.',
    },
    value: {
      type: 'string',
      description:
        'A constant in place of the argument, which callers then do not see. Secrets come from the environment or a file.',
      maxLength: 65536,
      hint: 'Write it in quotes.',
    },
    header: {
      type: 'string',
      description: "The header field of the caller's request to take it from, one of `callerHeaders`.",
      minLength: 1,
      maxLength: 128,
    },
    claim: {
      type: 'string',
      description:
        "The claim of the caller's token to take it from (`clients.jwt`). Who has none may not call what requires it.",
      minLength: 1,
      maxLength: 256,
    },
  },
} as const;

/** XML names with `/` between them; `@name` is an attribute. */
const PATH_PATTERN = '^[^\\s/@{}:]{1,256}(/[^\\s/@{}:]{1,256}){0,15}(/@[^\\s/@{}:]{1,256})?$|^@[^\\s/@{}:]{1,256}$';

const entries = (description: string) =>
  ({
    type: 'object',
    description,
    patternProperties: { [PATH_PATTERN]: ENTRY },
    names: 'Write XML names with `/` between them, an attribute as `@name`: Order/Customer/@id.',
    additionalProperties: false,
  }) as const;

export const REQUEST_KEYS = {
  arguments: entries(
    'By XML name, or path (`Order/Customer/@id`): what an argument is called, or where its value comes from.',
  ),
  headers: entries(
    'The same for header blocks (`AuthHeader/password`): a block with values from elsewhere is always sent.',
  ),
} as const;

/** A name of a header field (RFC 9110 section 5.1). */
export const HEADER_NAME = {
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$",
  hint: 'Write the name of a header field: x-tenant.',
} as const;
