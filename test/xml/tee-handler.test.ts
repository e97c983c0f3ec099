import fc from 'fast-check';
import t from 'tap';

import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  SKIP,
  STREAM,
  type StartTag,
  type XmlHandler,
} from '../../src/xml/events.js';
import { TeeHandler } from '../../src/xml/tee-handler.js';
import { readXml } from '../kit/read-xml.js';

/** Asks for each element as its list says, and records the events it receives. */
class Recorder implements XmlHandler {
  readonly #interests: readonly Interest[];
  readonly #open: string[] = [];
  received = '';
  #asked = 0;

  constructor(interests: readonly Interest[]) {
    this.#interests = interests;
  }

  open(tag: StartTag): Interest {
    const interest = this.#interests[this.#asked++ % this.#interests.length] ?? SKIP;
    this.#open.push(tag.local);
    this.received += `<${tag.local} ${interest}>`;
    return interest;
  }

  text(piece: string): void {
    // Text may be cut anywhere, and presence may be reported again.
    if (piece !== '') this.received += piece;
    else if (!this.received.endsWith('!')) this.received += '!';
  }

  close(): void {
    this.received += `</${this.#open.pop()}>`;
  }
}

const interests = fc.array(fc.constantFrom<Interest>(SKIP, ELEMENTS_ONLY, ALL, PRESENCE, STREAM), {
  minLength: 1,
  maxLength: 12,
});
const { content } = fc.letrec<{ content: string; element: string }>((tie) => ({
  content: fc
    .array(
      fc.oneof(
        fc.constantFrom('x', ' ', 'long text ', '&amp;', '<![CDATA[c]]>', '<!-- -->'),
        tie('element'),
      ),
      {
        maxLength: 4,
      },
    )
    .map((all) => all.join('')),
  element: fc.oneof(
    { depthSize: 'small' },
    fc.constant('<e/>'),
    tie('content').map((inner) => `<a>${inner}</a>`),
  ),
}));

t.test('each of two handlers receives what it would receive alone', async () => {
  fc.assert(
    fc.property(content, interests, interests, (inner, first, second) => {
      const document = `<root>${inner}</root>`;
      const alone = [first, second].map((each) => {
        const recorder = new Recorder(each);
        readXml(recorder, document);
        return recorder.received;
      });
      const [a, b] = [new Recorder(first), new Recorder(second)];
      readXml(new TeeHandler(a, b), document);
      if (a.received !== alone[0] || b.received !== alone[1]) {
        throw new Error(
          `${document}: ${a.received} not ${alone[0]}, ${b.received} not ${alone[1]}`,
        );
      }
    }),
    { numRuns: 3000 },
  );
});
