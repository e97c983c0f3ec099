import type { BasicUsers } from '../../access/passwords/basic.js';
import type { TokenKeys } from '../../access/tokens/tokens.js';
import type { LateWarnings } from './late-warnings.js';

/** By the JSON of its configuration: the keys of each issuer of tokens. */
export type IssuerKeyTable = Map<string, TokenKeys>;

/** What comes out beside the identification of clients. */
export interface AccessParts {
  /** Errors in the keys of issuers turn out when they are fetched. */
  readonly late: LateWarnings;
  /** How to close connections to others. */
  readonly closing: (() => Promise<void>)[];
  readonly issuers: IssuerKeyTable;
  /** The users of `clients.basic`, if there are any: one. */
  readonly passwords: BasicUsers[];
}
