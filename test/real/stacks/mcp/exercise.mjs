/** Lists the tools of a server, calls one, also with an argument that it does not have, and prints what came. */
export async function exercise(client, { tool, values, protocol }) {
  const { tools } = await client.listTools();
  const result = await client.callTool({ name: tool, arguments: JSON.parse(values) });
  const bad = await client.callTool({ name: tool, arguments: { no: 'such argument' } });
  console.log(
    JSON.stringify({
      server: client.getServerVersion(),
      protocol: protocol(),
      tools: tools.map(({ name }) => name),
      result,
      bad,
    }),
  );
  await client.close();
}
