import { optional, text } from '../keys/key-types.js';

const STEP = '[^\\s/@{}:]{1,256}';

/** XML names with `/` between them, two or more; the last one may be an attribute. */
export const liftPath = (description: string) =>
  optional(
    text(description, {
      pattern: `^${STEP}(/${STEP}){0,14}/@?${STEP}$`,
      hint:
        'Write XML names with `/` between them: address/cityName. ' +
        'Another name alone is `name`.',
    }),
  );
