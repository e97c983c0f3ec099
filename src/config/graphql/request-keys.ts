import { BLOCK_NAME, GRAPHQL_NAME } from '../keys/formats.js';
import { closed, flag, flagOr, mapOf, optional, text, unsafe } from '../keys/key-types.js';
import { CONVERT_KEY } from './convert-keys.js';
import { liftPath } from './lift-keys.js';

/**
 * Keys of one operation about what its requests hold: where arguments and header blocks come from.
 */

/** The keys that name the source of a value. */
const SOURCE = {
  value: optional(
    text(
      'A constant in place of the argument, which callers then do not see. ' +
        'Secrets come from the environment or a file.',
      { maxLength: 65536, hint: 'Write it in quotes.' },
    ),
  ),
  header: optional(
    text("The header field of the caller's request to take it from, one of `callerHeaders`.", {
      minLength: 1,
      maxLength: 128,
    }),
  ),
  claim: optional(
    text(
      'The claim of the caller to take it from: of its token (`clients.jwt` or ' +
        '`clients.introspection`), else of the decision point (`clients.authorize`). A caller ' +
        'without it may not call what requires it.',
      { minLength: 1, maxLength: 256 },
    ),
  ),
};

const ENTRY = closed({
  name: optional(
    text('The name of the argument, instead of that by rule.', {
      pattern: `^${GRAPHQL_NAME}$`,
      hint: 'Write a GraphQL name: letters, digits and _, no digit first.',
    }),
  ),
  convert: CONVERT_KEY,
  path: liftPath(
    'The way to the value in the request, which callers give without the elements around it: ' +
      '`order/address/cityName`. The key is a new name then.',
  ),
  ...SOURCE,
});

const REQUIRED = optional(
  flag('Refuse callers without the header field or the claim. Else nothing is written for it.'),
);

const BLOCK = closed({
  name: ENTRY.properties.name,
  ...SOURCE,
  required: REQUIRED,
  xml: optional(
    unsafe<string>({
      type: 'string',
      description:
        'The whole block as XML. `{name}` in texts and attributes stands for a value of ' +
        '`values`; all values are escaped.',
      minLength: 1,
      maxLength: 65536,
      markup: true,
    }),
  ),
  values: optional(
    mapOf(
      '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
      closed({ ...SOURCE, required: REQUIRED }),
      'The values of `xml`, by name.',
      { names: 'Use letters, digits and _, no digit first.', maxProperties: 64 },
    ),
  ),
});

/** XML names with `/` between them; `@name` is an attribute. */
const PATH_PATTERN =
  '^[^\\s/@{}:]{1,256}(/[^\\s/@{}:]{1,256}){0,15}(/@[^\\s/@{}:]{1,256})?$|^@[^\\s/@{}:]{1,256}$';

/** A map of entries by their path of XML names: `Order/Customer/@id`. */
const entries = (description: string) =>
  optional(
    mapOf(PATH_PATTERN, ENTRY, description, {
      names: 'Write XML names with `/` between them, an attribute as `@name`: Order/Customer/@id.',
    }),
  );

const STEP = '[^\\s/@{}:]{1,256}';
const QUALIFIED = `(\\{[^{}\\s]{0,1024}\\})?${STEP}`;
/** Steps may have a namespace; a block that the WSDL does not declare needs one. */
const block = (first: string): string => `^${first}(/${QUALIFIED}){0,15}(/@${QUALIFIED})?$`;

const BLOCKS = {
  names:
    'Write {namespace}Name of a block, and a path inside it: {urn:desk}AuthToken/token, ' +
    'an attribute as `@name`.',
  maxProperties: 256,
} as const;

/** Header blocks of all operations of a service. */
export const SOAP_HEADERS = optional(
  mapOf(
    block(`\\{[^{}\\s]{0,1024}\\}${STEP}`),
    BLOCK,
    'Header blocks of the calls of GraphQL fields, by `{namespace}Name` or a path inside the ' +
      'block. Names without a namespace have that of the element around them. ' +
      'The WSDL need not declare them. `headers` of an operation goes before.',
    BLOCKS,
  ),
);

/** Header blocks of replies. Unsafe because a union would report a wrong name as "matches none". */
const selectable = (
  description: string,
  name: { readonly pattern: string; readonly hint: string },
) =>
  unsafe<boolean | readonly string[]>({
    type: ['boolean', 'array'],
    items: { type: 'string', ...name },
    minItems: 1,
    maxItems: 256,
    uniqueItems: true,
    description,
  });

export const SERVICE_REPLY_HEADERS = optional(
  selectable(
    'Header blocks of replies that callers may select: `true` for those that the WSDL ' +
      'declares, or `{namespace}Name` of each. A field whose replies have any is an object with ' +
      '`result` and `headers` then.',
    BLOCK_NAME,
  ),
);

export const REPLY_HEADERS = optional(
  selectable(
    'The same for this operation, also by the name alone of a block that the WSDL declares; ' +
      '`false`: none. By default as the service.',
    {
      pattern: `^${QUALIFIED}$`,
      hint: 'Write the name of a block that the WSDL declares, or {namespace}Name.',
    },
  ),
);

export const REQUEST_KEYS = {
  arguments: entries(
    'By XML name, or path (`Order/Customer/@id`): the name of an argument, what its texts ' +
      'mean, or the source of its value.',
  ),
  headers: optional(
    mapOf(
      block(QUALIFIED),
      flagOr('`false` leaves the block out; or the source of a value.', BLOCK),
      'The same for header blocks (`AuthHeader/password`), also for `{namespace}Name` as in ' +
        '`soapHeaders` of the service, of which a path here goes before.',
      BLOCKS,
    ),
  ),
};
