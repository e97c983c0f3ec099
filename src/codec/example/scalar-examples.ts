/** A value of each scalar of GraphQL, for types without rules of their own. */
export const SCALAR_EXAMPLES: ReadonlyMap<string, string | number | boolean> = new Map<
  string,
  string | number | boolean
>([
  ['String', 'text'],
  ['ID', '7'],
  ['Int', 1],
  ['Float', 1.5],
  ['Boolean', true],
  ['Long', '1'],
  ['BigInt', '1'],
  ['Decimal', '1'],
  ['Date', '2026-01-31'],
  ['DateTime', '2026-01-31T12:00:00Z'],
  ['Time', '12:00:00'],
  ['Duration', 'P1D'],
  ['Base64', 'AAEC'],
  ['Hex', '0001'],
  ['URI', 'http://example.com/'],
  ['QName', 'example'],
  ['XML', '<example/>'],
  ['JSON', 'text'],
]);
