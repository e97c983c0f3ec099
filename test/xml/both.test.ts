import fc from 'fast-check';
import t from 'tap';

import { defaultsOf } from '../../src/base/limit.js';
import { Both } from '../../src/xml/both.js';
import {
  ALL,
  ELEMENTS,
  type Interest,
  PIECES,
  PRESENCE,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';

/** Asks for what its list says, element by element of those it hears of, and writes down what it hears. */
class Listener implements XmlHandler {
  readonly #interests: readonly Interest[];
  readonly #open: string[] = [];
  heard = '';
  #asked = 0;

  constructor(interests: readonly Interest[]) {
    this.#interests = interests;
  }

  open(tag: StartTag): Interest {
    const interest = this.#interests[this.#asked++ % this.#interests.length] ?? SKIP;
    this.#open.push(tag.local);
    this.heard += `<${tag.local} ${interest}>`;
    return interest;
  }

  text(piece: string): void {
    // Pieces may be cut anywhere, and presence may be told again.
    if (piece !== '') this.heard += piece;
    else if (!this.heard.endsWith('!')) this.heard += '!';
  }

  close(): void {
    this.heard += `</${this.#open.pop()}>`;
  }
}

const interests = fc.array(fc.constantFrom<Interest>(SKIP, ELEMENTS, ALL, PRESENCE, PIECES), {
  minLength: 1,
  maxLength: 12,
});
const { content } = fc.letrec<{ content: string; element: string }>((tie) => ({
  content: fc
    .array(fc.oneof(fc.constantFrom('x', ' ', 'long text ', '&amp;', '<![CDATA[c]]>', '<!-- -->'), tie('element')), {
      maxLength: 4,
    })
    .map((all) => all.join('')),
  element: fc.oneof(
    { depthSize: 'small' },
    fc.constant('<e/>'),
    tie('content').map((inner) => `<a>${inner}</a>`),
  ),
}));

function read(handler: XmlHandler, document: string): void {
  const reader = new XmlReader(handler, defaultsOf(XML_LIMITS));
  reader.write(Buffer.from(document));
  reader.end();
}

t.test('each of two handlers hears what it would hear alone', async () => {
  fc.assert(
    fc.property(content, interests, interests, (inner, first, second) => {
      const document = `<root>${inner}</root>`;
      const alone = [first, second].map((each) => {
        const listener = new Listener(each);
        read(listener, document);
        return listener.heard;
      });
      const [a, b] = [new Listener(first), new Listener(second)];
      read(new Both(a, b), document);
      if (a.heard !== alone[0] || b.heard !== alone[1]) {
        throw new Error(`${document}: ${a.heard} not ${alone[0]}, ${b.heard} not ${alone[1]}`);
      }
    }),
    { numRuns: 3000 },
  );
});
