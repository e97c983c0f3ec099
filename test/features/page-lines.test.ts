import { once } from 'node:events';
import { get as httpGet, type IncomingMessage, type ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { answerOperations, type RecordingBackend } from '../kit/backend.js';
import { textIn } from '../kit/envelope.js';
import { untilStill } from '../kit/until.js';
import { useService } from '../kit/use.js';

/** Pages over REST as lines of JSON: every row of every page, without keeping them. */

const SIZE = 100;

interface Options {
  readonly count: number;
  /** Answers a page instead; false: as ever. */
  readonly instead?: (page: number, response: ServerResponse) => boolean;
  readonly text?: string;
}

async function usePages(t: Test, { count, instead = () => false, text = 'Ada' }: Options) {
  const asked: number[] = [];
  const last = Math.ceil(count / SIZE);
  const usual = answerOperations('urn:list', (_name, request) => {
    const from = (Number(textIn(request, 'page')) - 1) * SIZE;
    const rows = Array.from(
      { length: Math.min(SIZE, count - from) },
      (_, at) => `<row><id>${from + at}</id><name>${text}</name></row>`,
    ).join('');
    return `${rows}<pages>${last}</pages>`;
  });
  const answer: RecordingBackend['answer'] = (message, response) => {
    const page = Number(textIn(message.body, 'page'));
    asked.push(page);
    if (!instead(page, response)) usual(message, response);
  };
  const { gateway } = await useService(
    t,
    answer,
    (url) => `services:
  list:
    url: ${url}/list
    namespace: urn:list
    rest: true
    types: |
      type Query { rows(page: Int!, size: Int!): RowPage }
      type RowPage { row: [Row!], pages: Int }
      type Row { id: Int!, name: String }
    operations:
      ListRows: { field: Query.rows, pages: { page: page, size: { size: ${SIZE} }, items: \
row, total: { pages: pages } } }
limits: { graphql: { cost: 1000000, pages: 1000 } }
`,
  );
  const ask = async (query: string): Promise<IncomingMessage> => {
    const headers = { accept: 'application/x-ndjson' };
    const [message]: IncomingMessage[] = await once(
      httpGet(`${gateway.url}/rest/list/ListRows${query}`, { headers }),
      'response',
    );
    if (message === undefined) throw new Error('no answer');
    return message;
  };
  return { gateway, asked, ask };
}

/** The lines of an answer, as far as it comes; and whether it came whole. */
async function linesOf(
  message: IncomingMessage,
): Promise<{ lines: readonly string[]; isWhole: boolean }> {
  let text = '';
  message.setEncoding('utf8');
  try {
    for await (const part of message) text += part;
  } catch {
    // It was cut.
  }
  return { lines: text.split('\n').filter((line) => line !== ''), isWhole: message.complete };
}

t.test('100,000 rows of 1,000 pages come as lines, in order', async (t) => {
  const { asked, ask } = await usePages(t, { count: 100_000 });
  const message = await ask('?first=100000&fields=nodes/id');
  t.equal(message.headers['content-type'], 'application/x-ndjson');
  const { lines, isWhole } = await linesOf(message);
  t.ok(isWhole);
  t.equal(lines.length, 100_000);
  const wrong = lines.findIndex((line, at) => line !== `{"id":${at}}`);
  t.equal(wrong, -1, String(lines[wrong]));
  t.equal(asked.length, 1_000);
});

t.test('few rows come as lines too, with what is selected by default', async (t) => {
  const { asked, ask } = await usePages(t, { count: 250 });
  const message = await ask('?first=120');
  t.equal(message.statusCode, 200);
  const { lines } = await linesOf(message);
  t.same(JSON.parse(lines[119] ?? ''), { id: 119, name: 'Ada' });
  t.equal(lines.length, 120);
  t.equal(asked.length, 2);
});

t.test(
  'a page that fails is an error before the first line, and the last line after it',
  async (t) => {
    const instead = (page: number, response: ServerResponse): boolean => {
      if (page === failing) response.writeHead(500).end();
      return page === failing;
    };
    let failing = 2;
    const { ask } = await usePages(t, { count: 100_000, instead, text: 'x'.repeat(100) });
    const early = await ask('?first=1000');
    t.ok((early.statusCode ?? 0) >= 500, 'a status, and no rows');
    t.match(early.headers['content-type'], /problem\+json/);
    early.resume();
    failing = 50;
    const late = await ask('?first=100000');
    t.equal(late.statusCode, 200);
    const { lines, isWhole } = await linesOf(late);
    t.notOk(isWhole, 'half a list is never taken for a whole one');
    t.match(JSON.parse(lines.at(-1) ?? ''), { status: Number, code: String });
    t.equal(lines.length, 49 * SIZE + 1);
  },
);

t.test('no page is asked for while the caller does not read, nor once he has gone', async (t) => {
  const { gateway, asked, ask } = await usePages(t, { count: 100_000, text: 'x'.repeat(2_000) });
  const message = await ask('?first=100000');
  // As much as sockets hold is read without him.
  await untilStill(() => asked.length);
  t.ok(asked.length < 500, `${asked.length} pages`);
  const held = asked.length;
  message.destroy();
  t.match(await gateway.accessLine(), { route: 'rest', code: 'CLIENT_GONE' });
  t.ok(asked.length <= held + 16, 'only those that were on their way');
});
