import type { Buffer } from 'node:buffer';
import { defaultsOf } from '../../core/index.js';
import { type Dialect, dialectOfUri, MIME_LIMITS, mime, mimeTypes } from '../../soap/index.js';
import {
  ELEMENTS_ONLY,
  type Interest,
  type QName,
  SKIP,
  type StartTag,
  XML_LIMITS,
  type XmlHandler,
  XmlReader,
} from '../../xml/index.js';

/** What the mock reads of a request. */
export interface MockRequest {
  readonly dialect: Dialect;
  /** The first child of Body; null for an empty one. */
  readonly body: QName | null;
}

/**
 * Reads an envelope, or the one in a package. Null for a message that is no envelope. Throws a
 * `Refusal` for one that is not well-formed.
 */
export function readMockRequest(message: Buffer, contentType: string): MockRequest | null {
  const handler = new BodyFinder();
  const xml = new XmlReader(handler, defaultsOf(XML_LIMITS));
  const isPackage = mimeTypes.readMediaType(contentType)?.name === mime.PACKAGE;
  const reader = isPackage ? packageReader(xml, contentType, message.length) : xml;
  reader.write(message);
  reader.end();
  return handler.dialect === null ? null : { dialect: handler.dialect, body: handler.body };
}

function packageReader(
  xml: XmlReader,
  contentType: string,
  messageBytes: number,
): mime.MultipartReader {
  const limits = defaultsOf(MIME_LIMITS);
  const type = mime.readPackageType(contentType, limits);
  return new mime.MultipartReader(xml, new mime.References(limits.parts), {
    type,
    limits,
    messageBytes,
    headBytes: messageBytes,
    onEnvelope: () => {},
  });
}

/** Notes the dialect and the first child of Body. */
class BodyFinder implements XmlHandler {
  dialect: Dialect | null = null;
  body: QName | null = null;
  #depth = 0;
  #isInBody = false;

  open({ uri, local }: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 1) {
      this.dialect = local === 'Envelope' ? dialectOfUri(uri) : null;
      return this.dialect === null ? SKIP : ELEMENTS_ONLY;
    }
    if (this.#depth === 2) {
      this.#isInBody = local === 'Body';
      return this.#isInBody ? ELEMENTS_ONLY : SKIP;
    }
    if (this.#isInBody) {
      this.body ??= { uri, local };
    }
    return SKIP;
  }

  close(): void {
    this.#depth--;
  }

  text(): void {}
}
