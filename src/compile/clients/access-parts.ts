import type { Pace } from '../../core/index.js';
import type { Keeping } from '../keep.js';
import type { LateWarnings } from './late-warnings.js';

/** What comes out beside the identification of clients. */
export interface AccessParts {
  /** Errors in the keys of issuers turn out when they are fetched. */
  readonly late: LateWarnings;
  /** How to close connections to others. */
  readonly closing: (() => Promise<void>)[];
  readonly keeping: Keeping;
  readonly pace: Pace;
}
