/** A part of the documentation: the same content is written as Markdown and as HTML. */
export type PageBlock =
  | { readonly kind: 'text'; readonly text: InlineText }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly InlineText[])[];
    };

/**
 * Texts of the WSDL, which mean nothing to Markdown or HTML, and names that the program shows as
 * code.
 */
export type InlineText = readonly (string | { readonly code: string })[];

export interface PageEntry {
  readonly name: string;
  readonly blocks: readonly PageBlock[];
}

export interface DocsPage {
  readonly title: string;
  /** The name of its file, without an ending. */
  readonly file: string;
  readonly entries: readonly PageEntry[];
}
