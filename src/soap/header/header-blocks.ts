import type { RefusalCode } from '../../core/index.js';
import type { Interest, QName, StartTag } from '../../xml/index.js';
import { AddressingReader, isAddressing } from './addressing.js';
import type { HeaderBounds, HeaderRules } from './header.js';
import { isSecurity, SecurityReader } from './security-reader.js';

/** A kind of header block that the gateway understands: a row of `HEADER_BLOCKS`. */
export interface HeaderBlockKind {
  /** Whether a block with this name is of this kind. */
  matches(name: QName): boolean;
  /**
   * Blocks for the gateway are removed from the message. Else the rules of the service name the
   * blocks that are.
   */
  readonly isRemoved: boolean;
  /**
   * Refuses a second block of this kind for the same receiver in a request; null where it is
   * allowed.
   */
  readonly repeatedPerTarget: RefusalCode | null;
  /** Local names of the blocks that address a message and do not change its request. */
  readonly deliveryNames: ReadonlySet<string>;
  /** Local names of the blocks that name an action, by which a service may choose the operation. */
  readonly actionNames: ReadonlySet<string>;
  /**
   * Local names of the blocks that are read whichever receiver they name, where
   * `HeaderRules.checksAddressing` is set.
   */
  readonly namesForAllTargets: ReadonlySet<string>;
  /**
   * The reader of such blocks, made by the first of them and kept in `readers`; null where they are
   * not read.
   */
  ensureReader(
    readers: HeaderReaders,
    rules: HeaderRules,
    bounds: HeaderBounds,
  ): BlockReader | null;
}

/** Reads the blocks of one kind in a Header, and holds their values. */
export interface BlockReader {
  /** A block begins. `isForwarded`: it is for the service, and stays in the message. */
  begin(tag: StartTag, isForwarded: boolean): Interest;
  open(tag: StartTag): Interest;
  close(contentEndBytes: number): void;
  text(piece: string): void;
}

/** The readers of one Header; null for kinds that it has no block of, or that are not read. */
export interface HeaderReaders {
  addressing: AddressingReader | null;
  security: SecurityReader | null;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The kinds of header block that the gateway understands. Their readers check their content. */
const HEADER_BLOCKS: readonly HeaderBlockKind[] = [
  // WS-Addressing 1.0 and the submissions before it.
  {
    matches: ({ uri }) => isAddressing(uri),
    isRemoved: true,
    repeatedPerTarget: null,
    deliveryNames: new Set(['To', 'Action', 'MessageID', 'ReplyTo']),
    actionNames: new Set(['Action']),
    // Some stacks act on these without a look at the receiver they name (catalogue S08, S10, S11).
    namesForAllTargets: new Set(['To', 'Action', 'ReplyTo', 'FaultTo']),
    ensureReader(readers, { checksAddressing }) {
      readers.addressing ??= new AddressingReader(checksAddressing);
      return readers.addressing;
    },
  },
  // WS-Security 1.1 and the drafts before it; section 5 has the rule of one block for each
  // receiver.
  {
    matches: isSecurity,
    isRemoved: false,
    repeatedPerTarget: 'WSSE_STRUCTURE',
    deliveryNames: NO_NAMES,
    actionNames: NO_NAMES,
    namesForAllTargets: NO_NAMES,
    ensureReader(readers, _rules, { readsSecurity }) {
      if (readsSecurity) {
        readers.security ??= new SecurityReader();
      }
      return readers.security;
    },
  },
];

/** The kind of the header block with this name, or null. */
export function headerBlockKindOf(name: QName): HeaderBlockKind | null {
  for (const kind of HEADER_BLOCKS) {
    if (kind.matches(name)) return kind;
  }
  return null;
}
