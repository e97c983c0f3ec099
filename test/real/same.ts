/**
 * Whether GraphQL and a client of another stack say the same. What GraphQL unwraps the client may
 * still wrap; each has its own way to write dates, bytes and numbers, but not another value.
 * Returns the differences, with their places.
 */
export function differences(client: unknown, graphql: unknown, place = ''): readonly string[] {
  const told = (why: string): readonly string[] => [
    `${place}: ${why}: ${JSON.stringify(client)?.slice(0, 200)} and ` +
      `${JSON.stringify(graphql)?.slice(0, 200)}`,
  ];
  if (graphql === null || graphql === undefined)
    return isNothing(inside(client)) ? [] : told('nothing in GraphQL');
  if (Array.isArray(graphql)) return listDifferences(client, graphql, place);
  if (isRecord(graphql)) return recordDifferences(client, graphql, place);
  if (isRecord(client) && !('number' in client) && !('bytes' in client)) {
    const inner = Object.values(client);
    return inner.length === 1
      ? differences(inner[0], graphql, place)
      : told('structure where GraphQL has a value');
  }
  return isSameValue(client, graphql) ? [] : told('another value');
}

function listDifferences(
  client: unknown,
  graphql: readonly unknown[],
  place: string,
): readonly string[] {
  let items = inside(client);
  if (isNothing(items) || (isRecord(items) && Object.keys(items).length === 0)) items = [];
  if (!Array.isArray(items)) items = [items];
  const list: readonly unknown[] = Array.isArray(items) ? items : [];
  if (list.length !== graphql.length)
    return [`${place}: ${list.length} items, ${graphql.length} in GraphQL`];
  return graphql.flatMap((item, index) => differences(list[index], item, `${place}[${index}]`));
}

function recordDifferences(
  client: unknown,
  graphql: Readonly<Record<string, unknown>>,
  place: string,
): readonly string[] {
  if (!isRecord(client)) return [`${place}: a value where GraphQL has structure`];
  const fields = new Map(Object.entries(client).map(([name, value]) => [simplified(name), value]));
  const asked = Object.entries(graphql).filter(([name]) => name !== '__typename');
  const isKnown = asked.some(([name]) => fields.has(simplified(name)));
  const [only] = [...fields.values()];
  if (!isKnown && fields.size === 1 && isRecord(only))
    return recordDifferences(only, graphql, place);
  const names = new Set(asked.map(([name]) => simplified(name)));
  const unasked = [...fields]
    .filter(([name, value]) => !names.has(name) && !isNothing(value))
    .map(([name]) => name);
  return [
    ...unasked.map((name) => `${place}.${name}: not in GraphQL`),
    ...asked.flatMap(([name, value]) =>
      differences(fields.get(simplified(name)) ?? null, value, `${place}.${name}`),
    ),
  ];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a wrapper holds: an object with one member, however often. */
function inside(client: unknown): unknown {
  let value = client;
  while (isRecord(value) && Object.keys(value).length === 1) value = Object.values(value)[0];
  return value;
}

const isNothing = (value: unknown): boolean => value === null || value === undefined;

/** GraphQL names begin small and have no marks. */
const simplified = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function isSameValue(client: unknown, graphql: unknown): boolean {
  const text = String(graphql);
  if (isRecord(client)) {
    if (typeof client['bytes'] === 'string') return client['bytes'] === text;
    const digits = String(client['number']);
    if (digits === text) return true;
    // The client made a float of it: as far as that goes.
    return /[.eE]/.test(digits) || /[.eE]/.test(text) ? Number(digits) === Number(text) : false;
  }
  if (typeof client === 'boolean' || typeof graphql === 'boolean') return client === graphql;
  const said = String(client);
  return (
    said === text ||
    said.replace(/[^A-Za-z0-9_]/g, '_') === text ||
    Buffer.from(said).toString('base64') === text ||
    isSameTime(said, text)
  );
}

function isSameTime(client: string, graphql: string): boolean {
  if (!/^\d{4}-\d\d-\d\d/.test(client) || !/^\d{4}-\d\d-\d\d/.test(graphql)) return false;
  if (client.length === 10) return graphql.startsWith(client);
  return Date.parse(client) === Date.parse(graphql);
}
