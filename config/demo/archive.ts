import { Buffer } from 'node:buffer';
import { integer, required } from './elements.js';
import { DeskFault, type Element, escapeText } from './envelope.js';

/** The document archive of the demonstration, whose calls can be made to fail. */

export const ARCHIVE = 'http://legacy.example.com/archive';

interface Document {
  readonly id: number;
  readonly title: string;
  readonly owner: string;
  readonly content: Buffer;
}

const SEEDED_DOCUMENTS = 57;
const STORED_DOCUMENTS_KEPT = 1000;
const PAGE_DOCUMENTS_MAX = 100;
const FAILING_CALLS_MAX = 100;
const OWNERS = ['anna@desk.example', 'bo@desk.example', 'carla@desk.example'];

/** How the next calls fail: an error of a proxy, a closed connection, a page, a Fault. */
const FAILURES = ['unavailable', 'reset', 'html', 'fault'] as const;
export type Failure = (typeof FAILURES)[number];

/** The documents, those that were stored included, and the failures to come. Bounded. */
export class Archive {
  readonly #stored = new Map<number, Document>();
  #nextId = SEEDED_DOCUMENTS + 1;
  #failure: Failure = 'unavailable';
  #failingCalls = 0;

  get size(): number {
    return this.#nextId - 1;
  }

  document(id: number): Document | null {
    if (id < 1 || id > SEEDED_DOCUMENTS) return this.#stored.get(id) ?? null;
    const title = `Delivery note ${id}`;
    const content = Buffer.from(`${title}\n${'Checked at dock 4.\n'.repeat(id)}`);
    return { id, title, owner: OWNERS[id % OWNERS.length] ?? '', content };
  }

  store(title: string, content: Buffer): Document {
    const id = this.#nextId++;
    const document = { id, title, owner: OWNERS[0] ?? '', content };
    this.#stored.set(id, document);
    this.#stored.delete(id - STORED_DOCUMENTS_KEPT);
    return document;
  }

  failNext(failure: Failure, calls: number): number {
    this.#failure = failure;
    this.#failingCalls = Math.min(Math.max(calls, 0), FAILING_CALLS_MAX);
    return this.#failingCalls;
  }

  /** How the call that begins now is to fail; null for not at all. */
  takeFailure(): Failure | null {
    if (this.#failingCalls === 0) return null;
    this.#failingCalls--;
    return this.#failure;
  }
}

const documentContent = ({ id, title, owner, content }: Document): string =>
  `<a:id>${id}</a:id><a:title>${escapeText(title)}</a:title>` +
  `<a:owner>${escapeText(owner)}</a:owner><a:bytes>${content.length}</a:bytes>`;

function numberIn(call: Element, name: string): number {
  return integer(required(call, name, ARCHIVE), name);
}

function findDocument(archive: Archive, call: Element): Document {
  const id = numberIn(call, 'id');
  const document = archive.document(id);
  if (document === null) throw new DeskFault('Client', `There is no document ${id}`);
  return document;
}

function* listDocuments(archive: Archive, call: Element): Generator<string> {
  const size = Math.min(Math.max(numberIn(call, 'size'), 1), PAGE_DOCUMENTS_MAX);
  const first = (Math.max(numberIn(call, 'page'), 1) - 1) * size + 1;
  yield `<a:pages>${Math.ceil(archive.size / size)}</a:pages>`;
  for (let id = first; id < first + size; id++) {
    const document = archive.document(id);
    if (document !== null) yield `<a:document>${documentContent(document)}</a:document>`;
  }
}

function getDocument(archive: Archive, call: Element): string {
  const document = findDocument(archive, call);
  return (
    `<a:document>${documentContent(document)}</a:document>` +
    `<a:content>${document.content.toString('base64')}</a:content>`
  );
}

function storeDocument(archive: Archive, call: Element): string {
  const content = Buffer.from(required(call, 'content', ARCHIVE), 'base64');
  const document = archive.store(required(call, 'title', ARCHIVE), content);
  return `<a:document>${documentContent(document)}</a:document>`;
}

function approveDocument(archive: Archive, call: Element): string {
  findDocument(archive, call);
  return '<a:approved>true</a:approved>';
}

function failNext(archive: Archive, call: Element): string {
  const failure = FAILURES.find((each) => each === required(call, 'failure', ARCHIVE));
  if (failure === undefined) throw new DeskFault('Client', 'There is no such failure');
  return `<a:calls>${archive.failNext(failure, numberIn(call, 'calls'))}</a:calls>`;
}

type ArchiveOperation = (archive: Archive, call: Element) => string | Iterable<string>;

export const ARCHIVE_OPERATIONS: ReadonlyMap<string, ArchiveOperation> = new Map<
  string,
  ArchiveOperation
>([
  ['ListDocuments', listDocuments],
  ['GetDocument', getDocument],
  ['StoreDocument', storeDocument],
  ['ApproveDocument', approveDocument],
  ['FailNext', failNext],
]);
