import type { ReplyHead } from '../../upstream/index.js';

/** The head of a reply with other values of header fields; null: the field is not known. */
export const changedHead = (
  head: ReplyHead,
  fields: ReadonlyMap<string, string | null>,
): ReplyHead => ({
  status: head.status,
  header: (name) => {
    const value = fields.get(name);
    return value === undefined ? head.header(name) : value;
  },
  headers: (name) => {
    const value = fields.get(name) ?? null;
    return value === null ? head.headers(name) : [value];
  },
  // As they came: for operators, who see the exchange with the backend.
  ...(head.fields !== undefined && { fields: () => head.fields?.() ?? [] }),
  ...(head.addressId !== undefined && { addressId: head.addressId }),
  suspect: () => head.suspect?.(),
  ...(head.source !== undefined && { source: head.source }),
});

/**
 * The head of a reply whose content is changed before it is read: its length is not known, nor are
 * further fields.
 */
export const withoutLength = (head: ReplyHead, ...further: readonly string[]): ReplyHead =>
  changedHead(head, new Map(['content-length', ...further].map((name) => [name, null])));
