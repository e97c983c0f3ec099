import { Refusal } from '../core/index.js';
import { canonical, type StartTag, XML_NAMESPACE } from '../xml/index.js';
import { invalidSecurity } from './security-refusals.js';
import { DS, SAML1, WSU, XENC } from './wsse-names.js';

/** Attributes that some reader takes for an Id, in no namespace. */
const UNQUALIFIED: ReadonlySet<string> = new Set(['Id', 'ID', 'id', 'AssertionID']);

/** Calls `visit` with everything that some reader takes for an Id of this element. */
export function eachId(tag: StartTag, visit: (id: string) => void): void {
  for (let index = 0; index < tag.attributeCount; index++) {
    const uri = tag.attributeUri(index);
    const local = tag.attributeLocal(index);
    const isId =
      (uri === WSU && local === 'Id') ||
      (uri === XML_NAMESPACE && local === 'id') ||
      (uri === '' && UNQUALIFIED.has(local));
    // A reader that knows its type takes the blanks around it away.
    if (isId) {
      visit(tag.attributeValue(index).trim());
    }
  }
}

/**
 * The Id by which a signature may refer to this element; null without one (SOAP Message Security
 * section 4.2).
 */
export function referableId(tag: StartTag): string | null {
  const id = tag.attribute(WSU, 'Id');
  if (id !== null) return id.trim();
  if (tag.uri === DS || tag.uri === XENC) return tag.attribute('', 'Id')?.trim() ?? null;
  if (tag.local !== 'Assertion') return null;
  return tag.attribute('', tag.uri === SAML1 ? 'AssertionID' : 'ID')?.trim() ?? null;
}

/** The Ids of the elements of a Header. */
export class ElementIds {
  readonly #elements = new Map<string, canonical.ElementNode[]>();

  constructor(header: canonical.ElementNode) {
    for (const node of descendants(header)) {
      const seen = new Set<string>();
      eachId(node, (id) => {
        if (seen.has(id)) return;
        seen.add(id);
        const others = this.#elements.get(id);
        if (others === undefined) {
          this.#elements.set(id, [node]);
        } else {
          others.push(node);
        }
      });
    }
  }

  /**
   * The one element with this Id; null without one. Throws `WSSE_DUPLICATE_ID`,
   * `wsse:InvalidSecurity`.
   */
  find(id: string): canonical.ElementNode | null {
    const [found, ...others] = this.#elements.get(id) ?? [];
    if (others.length > 0) throw new Refusal('WSSE_DUPLICATE_ID', 'Header');
    if (found === undefined) return null;
    if (referableId(found) !== id) {
      throw invalidSecurity('a reference to an element by an attribute that is not its Id');
    }
    return found;
  }
}

/** An element and the elements in it. */
function descendants(root: canonical.ElementNode): readonly canonical.ElementNode[] {
  const found = [root];
  // It grows while it is walked.
  for (const node of found) {
    for (const child of node.children) {
      if (child instanceof canonical.ElementNode) {
        found.push(child);
      }
    }
  }
  return found;
}

/** Whether a comment stands beside text in an element, or in one of those in it. */
export const hasCommentInText = (root: canonical.ElementNode): boolean =>
  descendants(root).some(
    ({ children }) =>
      children.some((child) => child instanceof canonical.CommentNode) &&
      children.some((child) => typeof child === 'string' && /[^ \t\r\n]/.test(child)),
  );

/** Whether a comment stands anywhere in an element. */
export const hasComment = (root: canonical.ElementNode): boolean =>
  descendants(root).some(({ children }) =>
    children.some((child) => child instanceof canonical.CommentNode),
  );
