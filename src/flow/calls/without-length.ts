import type { ReplyHead } from '../../upstream/index.js';

/**
 * The head of a reply whose content is changed before it is read: its length is not known, nor are
 * further fields.
 */
export const withoutLength = (head: ReplyHead, ...further: readonly string[]): ReplyHead => ({
  status: head.status,
  header: (name) =>
    name === 'content-length' || further.includes(name) ? null : head.header(name),
  headers: (name) => head.headers(name),
  ...(head.addressId !== undefined && { addressId: head.addressId }),
  suspect: () => head.suspect?.(),
  ...(head.source !== undefined && { source: head.source }),
});
