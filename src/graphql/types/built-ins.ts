/** The scalars of SDL, as built-in types of XML Schema. */
export const BUILT_INS: ReadonlyMap<string, string> = new Map([
  ['Int', 'int'],
  ['Float', 'double'],
  ['String', 'string'],
  ['Boolean', 'boolean'],
  ['ID', 'string'],
  ['Long', 'long'],
  ['BigInt', 'integer'],
  ['Decimal', 'decimal'],
  ['Date', 'date'],
  ['DateTime', 'dateTime'],
  ['Time', 'time'],
  ['Duration', 'duration'],
  ['Base64', 'base64Binary'],
  ['Hex', 'hexBinary'],
  ['URI', 'anyURI'],
  ['QName', 'QName'],
]);
