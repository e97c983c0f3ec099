import { GRAPHQL_NAME } from './formats.js';
import { closed, mapOf, optional, string } from './key-types.js';

/** Keys of one operation about what its requests hold: where arguments and header blocks come from. */

const ENTRY = closed({
  name: optional(
    string({
      description: 'The name of the argument, instead of that by rule.',
      pattern: `^${GRAPHQL_NAME}$`,
      hint: 'Write a GraphQL name: letters, digits and _, no digit first.',
    }),
  ),
  value: optional(
    string({
      description:
        'A constant in place of the argument, which callers then do not see. Secrets come from the environment or a file.',
      maxLength: 65536,
      hint: 'Write it in quotes.',
    }),
  ),
  header: optional(
    string({
      description: "The header field of the caller's request to take it from, one of `callerHeaders`.",
      minLength: 1,
      maxLength: 128,
    }),
  ),
  claim: optional(
    string({
      description:
        "The claim of the caller's token to take it from (`clients.jwt`). A caller without it may not call what requires it.",
      minLength: 1,
      maxLength: 256,
    }),
  ),
});

/** XML names with `/` between them; `@name` is an attribute. */
const PATH_PATTERN = '^[^\\s/@{}:]{1,256}(/[^\\s/@{}:]{1,256}){0,15}(/@[^\\s/@{}:]{1,256})?$|^@[^\\s/@{}:]{1,256}$';

/** By the path of XML names: `Order/Customer/@id`. */
const entries = (description: string) =>
  optional(
    mapOf(PATH_PATTERN, ENTRY, {
      description,
      names: 'Write XML names with `/` between them, an attribute as `@name`: Order/Customer/@id.',
    }),
  );

export const REQUEST_KEYS = {
  arguments: entries(
    'By XML name, or path (`Order/Customer/@id`): the name of an argument, or the source of its value.',
  ),
  headers: entries(
    'The same for header blocks (`AuthHeader/password`): a block with values from elsewhere is always sent.',
  ),
};
