import type { SimpleType } from '../model.js';
import type { WhiteSpace } from './simple-facets.js';

interface Traits {
  /** How often a walk through all items and members meets a type. */
  readonly size: number;
  /** The longest way down through bases, items and members. */
  readonly depth: number;
  /** How white space is normalised before anything else; a union leaves it to its members. */
  readonly space: WhiteSpace;
  readonly hasList: boolean;
}

const SIZE = 5000;
const DEPTH = 1000;
/** Of all unions of one model together: a union of unions copies their members. */
const MEMBERS = 1_000_000;

/** Size and depth of simple types, by which their use stays bounded. */
export class SimpleTraits {
  readonly #known = new WeakMap<SimpleType, Traits>();
  #membersLeft = MEMBERS;

  of(type: SimpleType): Traits {
    return this.#known.get(type) ?? this.#traitsOf(type);
  }

  /** Remembers a type whose parts are known; false when it is not to be used, being larger or deeper than allowed. */
  add(type: SimpleType): boolean {
    const traits = this.#traitsOf(type);
    if (traits.size > SIZE || traits.depth > DEPTH || this.#membersLeft < 0) return false;
    this.#known.set(type, traits);
    return true;
  }

  /**
   * Of a union of these types the members, each once, and the built-in type they share. A union that constrains nothing
   * itself is replaced by its members (XSD part 2 section 4.1.2).
   */
  union(types: readonly SimpleType[]): Pick<SimpleType, 'builtIn' | 'members'> {
    const members = new Set<SimpleType>();
    for (const type of types) {
      const isPlain = type.variety === 'union' && type.enumeration === null && type.facets.patterns.length === 0;
      const flat = isPlain ? type.members : [type];
      this.#membersLeft -= flat.length;
      if (this.#membersLeft < 0) return { builtIn: 'string', members: [] };
      for (const member of flat) members.add(member);
    }
    const [first] = members;
    const isShared = [...members].every(({ variety, builtIn }) => variety !== 'list' && builtIn === first?.builtIn);
    return { builtIn: first !== undefined && isShared ? first.builtIn : 'string', members: [...members] };
  }

  #traitsOf(type: SimpleType): Traits {
    const { base, item, members, variety } = type;
    const inner = base !== null ? [base] : item !== null ? [item] : members;
    let size = 1;
    let depth = 0;
    let hasList = variety === 'list';
    let space: WhiteSpace = variety === 'list' ? 'collapse' : spaceOf(type);
    for (const part of inner) {
      const traits = this.#known.get(part);
      size += traits?.size ?? 1;
      depth = Math.max(depth, (traits?.depth ?? 0) + 1);
      hasList ||= traits?.hasList ?? part.variety === 'list';
      if (variety === 'union') space = (traits?.space ?? spaceOf(part)) === 'collapse' ? space : 'preserve';
    }
    // A restriction is as large as what it restricts: each step of a chain is looked at once.
    return { size: base === null ? size : size - 1, depth, space: type.facets.whiteSpace ?? space, hasList };
  }
}

function spaceOf({ variety, builtIn, facets }: SimpleType): WhiteSpace {
  if (facets.whiteSpace !== null) return facets.whiteSpace;
  if (variety !== 'atomic' || (builtIn !== 'string' && builtIn !== 'normalizedString')) return 'collapse';
  return builtIn === 'string' ? 'preserve' : 'replace';
}
