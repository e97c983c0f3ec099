import { commentInText } from './security-refusals.js';

/**
 * Texts and comments of the signed elements that are open. Comments are no part of what is signed:
 * beside text they may change what a backend reads of it.
 */
export class CommentsInText {
  /** A comment came, in any element. */
  hasComments = false;
  /** Whether the elements open, by depth, have text that is not white, and a comment. */
  readonly #hasText: boolean[] = [];
  readonly #hasComment: boolean[] = [];

  /** An element at this depth begins. */
  open(depth: number): void {
    this.#hasText[depth] = false;
    this.#hasComment[depth] = false;
  }

  hasTextAt(depth: number): boolean {
    return this.#hasText[depth] === true;
  }

  hasCommentAt(depth: number): boolean {
    return this.#hasComment[depth] === true;
  }

  /** Text that is not white. Throws where a comment stands beside it. */
  addText(depth: number): void {
    this.#hasText[depth] = true;
    this.#refuse(depth);
  }

  addComment(depth: number): void {
    this.hasComments = true;
    this.#hasComment[depth] = true;
    this.#refuse(depth);
  }

  #refuse(depth: number): void {
    if (this.hasTextAt(depth) && this.hasCommentAt(depth)) throw commentInText();
  }
}
