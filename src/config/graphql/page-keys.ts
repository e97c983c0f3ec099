import { closed, mapOf, optional, text, whole } from '../keys/key-types.js';

const STEP = '[^\\s/@{}:]{1,256}';

/** XML names with `/` between them, an attribute at the end as `@name`. */
const PATH = {
  pattern: `^${STEP}(/${STEP}){0,15}(/@${STEP})?$|^@${STEP}$`,
  hint: 'Write XML names with `/` between them: Result/Row.',
};

const path = (description: string) => optional(text(description, PATH));

/** Keys of an operation whose backend hands out one page for each call. */
export const PAGE_KEYS = {
  pages: optional(
    closed(
      {
        page: path(
          'The argument, or path to it, with the number of the page. ' +
            'The field has no such argument then.',
        ),
        offset: path('The argument, or path to it, with the number of rows before the page.'),
        cursor: optional(
          closed(
            {
              argument: text('The argument, or path to it, that names the next page.', PATH),
              next: text(
                'The path in the reply to the value that names the next page; ' +
                  'empty or absent after the last.',
                PATH,
              ),
            },
            'The backend names each next page itself.',
          ),
        ),
        first: whole('The number of the first page, for `page`.', [0, 1], 1),
        size: mapOf(
          PATH.pattern,
          whole('The rows of a page.', [1, 10_000]),
          'The argument, or path to it, with the rows of a page, and how many it asks for.',
          { names: PATH.hint, minProperties: 1, maxProperties: 1 },
        ),
        items: text('The path in the reply to the repeated element, which is a row.', PATH),
        total: optional(
          closed(
            {
              items: path('The path in the reply to the number of all rows.'),
              pages: path('The path in the reply to the number of all pages.'),
            },
            'What the reply tells about all of it: one of the two. Without it a page with ' +
              'fewer rows than `size` is the last.',
          ),
        ),
      },
      'The backend hands out pages: the field is a connection (`first`, `after`, `nodes`, ' +
        '`edges`, `pageInfo`, `totalCount`), and the gateway asks for as ' +
        'many pages as that takes.',
    ),
  ),
};
