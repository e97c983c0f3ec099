import { sendWhole, type WholeReply } from '../../compile/own-calls/constant-call.js';
import type { SoapService } from '../../compile/soap/service.js';
import { withTokenField } from '../../compile/soap/token-place.js';
import { MIB, Refusal } from '../../core/index.js';
import {
  authentication,
  DEFAULT_CALLS,
  fetching,
  Upstream,
  type UpstreamRequest,
} from '../../upstream/index.js';

const DOCUMENT_BYTES_MAX = 32 * MIB;
const DOCUMENT_MILLIS = 30_000;

/**
 * Gets the documents of a WSDL from the backend of a service the way its calls go: with its
 * credentials, TLS and proxy.
 */
export class BackendDocuments {
  readonly #service: SoapService;
  readonly #own: readonly string[];

  /** `headers` take the place of the fields of the service by the same names. */
  constructor(service: SoapService, headers: Readonly<Record<string, string>>) {
    this.#service = service;
    this.#own = Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]);
  }

  /** Follows redirects on the same host. Throws an `Error` that an operator can act on. */
  async fetch(url: string): Promise<fetching.FetchedFile> {
    const { at, answer } = await fetching.followRedirects(url, async (to) => {
      const reply = await this.#get(to);
      return { status: reply.head.status, location: reply.head.header('location'), answer: reply };
    });
    const { head, body } = answer;
    const content = fetching.inflated(
      body,
      head.header('content-encoding') ?? 'identity',
      DOCUMENT_BYTES_MAX,
    );
    if (content === null) throw new Error(`is longer than ${DOCUMENT_BYTES_MAX} bytes`);
    return { url: at.href, contentType: head.header('content-type'), body: content };
  }

  async #get(url: URL): Promise<WholeReply> {
    const { reach, upstreamLimits, session } = this.#service;
    const hasOwn = this.#own.some((name, index) => index % 2 === 0 && name === 'authorization');
    const limits = { ...upstreamLimits, connections: 1, totalMillis: DOCUMENT_MILLIS };
    const upstream = new Upstream([url.href], limits, {
      credentials: hasOwn ? null : authentication.lend(reach.credentials),
      calls: { ...DEFAULT_CALLS, pace: reach.calls.pace },
      routeTo: (to) =>
        hasOwn ? { ...reach.routeTo(to), authentication: null } : reach.routeTo(to),
    });
    try {
      const headers = authentication.withFields([...reach.fields, ...GET_FIELDS], this.#own);
      const plain: UpstreamRequest = {
        method: 'GET',
        query: '',
        headers,
        body: null,
        isIdempotent: true,
      };
      const token =
        session === null || session.place.kind !== 'http' ? null : await session.login.token();
      const request =
        session === null || token === null ? plain : withTokenField(plain, session.place, token);
      return await sendWhole(upstream, request, DOCUMENT_BYTES_MAX);
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught;
      throw new Error(`cannot be fetched (${caught.code})`);
    } finally {
      await upstream.close();
    }
  }
}

const GET_FIELDS = [
  ...['accept', 'text/xml, application/wsdl+xml, application/xml;q=0.9, */*;q=0.1'],
  ...['accept-encoding', 'identity', 'user-agent', 'soapstone'],
];
