import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

/** A token of TypeScript or JavaScript, without comments. */
export interface Token {
  readonly kind: SyntaxKind;
  readonly start: number;
  readonly end: number;
}

/** Tokens that can end an operand: a slash behind one divides. */
const OPERAND_ENDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.PlusPlusToken,
  SyntaxKind.MinusMinusToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.SuperKeyword,
  SyntaxKind.NullKeyword,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
]);

/** The tokens of a source file, by the scanner of the TypeScript compiler. */
export function tokensIn(text: string): readonly Token[] {
  const scanner = createScanner(true, undefined, text);
  const tokens: Token[] = [];
  /** Braces open inside each `${` that is open. */
  const open: number[] = [];
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const inside = open.length - 1;
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
      const before = tokens.at(-1)?.kind;
      if (before === undefined || !OPERAND_ENDS.has(before)) kind = scanner.reScanSlashToken();
    } else if (kind === SyntaxKind.OpenBraceToken && inside >= 0) {
      open[inside] = (open[inside] ?? 0) + 1;
    } else if (kind === SyntaxKind.CloseBraceToken && inside >= 0) {
      if (open[inside] === 0) {
        kind = scanner.reScanTemplateToken(false);
        if (kind === SyntaxKind.TemplateTail) open.pop();
      } else {
        open[inside] = (open[inside] ?? 0) - 1;
      }
    }
    if (kind === SyntaxKind.TemplateHead) open.push(0);
    tokens.push({ kind, start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
  }
  return tokens;
}

/** Tokens and the lines that have any, without imports; `require` at the top is one. */
export function countTokens(text: string): { readonly tokens: number; readonly lines: number } {
  const tokens = withoutImports(tokensIn(text), text);
  const lines = new Set<number>();
  let line = 0;
  let at = 0;
  for (const token of tokens) {
    for (; at < token.end; at++) {
      if (at === token.start) lines.add(line);
      if (text[at] !== '\n') continue;
      line++;
      if (at >= token.start) lines.add(line);
    }
  }
  return { tokens: tokens.length, lines: lines.size };
}

function withoutImports(tokens: readonly Token[], text: string): readonly Token[] {
  const kept: Token[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    const isFirst = token.start === 0 || text[token.start - 1] === '\n';
    const end = isFirst ? importEnd(tokens, index, text) : null;
    if (end === null) kept.push(token);
    else index = end;
  }
  return kept;
}

/** The last token of the import that begins with a token; null where none does. */
function importEnd(tokens: readonly Token[], from: number, text: string): number | null {
  const textOf = (index: number): string => {
    const token = tokens[index];
    return token === undefined ? '' : text.slice(token.start, token.end);
  };
  const isImport = textOf(from) === 'import';
  if (!isImport && textOf(from) !== 'const') return null;
  for (let index = from + 1; index < tokens.length; index++) {
    const isEnd = textOf(index + 1) !== ';';
    if (isImport && tokens[index]?.kind === SyntaxKind.StringLiteral)
      return isEnd ? index : index + 1;
    if (isImport) continue;
    if (textOf(index) === 'require' && textOf(index - 1) === '=')
      return textOf(index + 4) === ';' ? index + 4 : index + 3;
    if (/^(?:=|[;(])$/.test(textOf(index)) && textOf(index + 1) !== 'require') return null;
  }
  return null;
}
