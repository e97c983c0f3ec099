/** Queries over a list of orders: two fields of each, and everything there is. */
export const ORDERS = 5_000;

export const SELECTIONS: Readonly<Record<string, string>> = {
  'two fields': '{ orders(limit: 5000) { id total } }',
  everything: `{ orders(limit: 5000) {
    priority id serial status placedAt dueDate total note tag
    customer { code name vip creditLimit since phone address { street city postcode country } }
    lines { no sku quantity price engraving }
  } }`,
};

/** Queries over a list of records: two fields of each, and all. */
export const RECORD_SELECTIONS: Readonly<Record<string, string>> = {
  'two fields': '{ orders(limit: 5000) { id total } }',
  'all six fields': '{ orders(limit: 5000) { priority id status placedAt total note } }',
};

/** For a process that decodes: a young generation larger than what one decode allocates. */
export const DECODE_OPTIONS: readonly string[] = [
  '--expose-gc',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256',
];
