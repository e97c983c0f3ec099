import type { ExpectedParts } from '../../../soap/index.js';
import type { Operation, Payload } from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import { expectedParts } from './body-parts.js';

/** The operation of a message, or the operations that it may be. */
export interface KnownOperation {
  /** The first of the candidates: the one that chosen ports offer, if any. */
  readonly operation: Operation;
  /**
   * Every operation that a backend may read in the message, one for each name: rights to all of
   * them are needed.
   */
  readonly candidates: readonly Operation[];
  /** The names of the candidates, for the log and metrics. */
  readonly label: string;
  /** The SOAPAction to send; null where the WSDL gives none, or several to the candidates. */
  readonly soapAction: string | null;
  /** The SOAPAction as the value of a field, in quotes. */
  readonly soapActionField: string | null;
  /** The parts of its Body; null where that is one child. */
  readonly parts: ExpectedParts | null;
}

/** The actions that a message names, null for none. */
export interface SentActions {
  /**
   * In the head of HTTP and of MIME parts: SOAPAction, and the action parameters of media types.
   */
  readonly http: readonly (string | null)[];
  /** `wsa:Action`. */
  readonly addressing: string | null;
  /** The block with `wsa:Action` is for the service, and reaches it. */
  readonly isAddressed: boolean;
  /** The message goes on with the SOAPAction of the operation that is decided here. */
  readonly isRewritten: boolean;
}

/**
 * The operations whose requests have the same child of Body: only actions distinguish them, if
 * anything.
 */
export class RequestGroup {
  readonly #body: QName | null;
  readonly #members = new Map<string, Member>();
  /** The operations that each action of a message may mean. */
  readonly #owners = new Map<string, readonly Member[]>();
  /** The operations that have a SOAPAction, by that. */
  readonly #byAction = new Map<string, KnownOperation>();
  /** The operation of a `wsa:Action` that the WSDL gives to it alone. */
  readonly #byNamed = new Map<string, Member>();
  /** SDL types may leave the action away without meaning that there is none: any passes. */
  #isOpen = false;
  #whole: KnownOperation | null = null;

  constructor(body: QName | null) {
    this.#body = body;
  }

  /** The possible operations of a message that names no action. */
  get whole(): KnownOperation {
    if (this.#whole === null) throw new Error('a group of requests that is not complete');
    return this.#whole;
  }

  /**
   * `configured`: the action that the configuration sets, or null. Operations of the same name
   * count as one.
   */
  add(operation: Operation, configured: string | null): void {
    const known = this.#members.get(operation.name);
    if (known !== undefined) {
      known.add(operation);
    } else {
      this.#members.set(operation.name, new Member(operation, configured));
    }
  }

  /**
   * All operations have been added. `ownersOf` returns the names of the operations that have an
   * action in the WSDL.
   */
  complete(ownersOf: (action: string) => ReadonlySet<string>): void {
    const members = [...this.#members.values()];
    // The WSDL's own words first, then what real stacks write instead.
    for (const member of members) {
      for (const action of member.actions) {
        this.#own(action, member);
      }
    }
    for (const member of members) {
      const { name } = member.operation;
      this.#ownAliases(name, [member], ownersOf);
    }
    if (this.#body !== null) {
      this.#ownAliases(this.#body.local, members, ownersOf);
    }
    for (const action of new Set(members.flatMap(({ soapActions }) => [...soapActions]))) {
      const same = members.filter(({ soapActions }) => soapActions.has(action));
      this.#byAction.set(action, knownOf(same, action));
    }
    for (const member of members) {
      for (const action of member.namedActions) {
        if (members.every((other) => other === member || !other.actions.has(action))) {
          this.#byNamed.set(action, member);
        }
      }
    }
    this.#isOpen = members.some(
      ({ operation }) => operation.soapAction === null && operation.addressingAction === null,
    );
    const sent = new Set(members.map((member) => member.sent));
    const [common = null] = sent.size === 1 ? sent : [];
    this.#whole = knownOf(members, common);
    for (const member of members) {
      member.known = knownOf([member], member.sent);
    }
  }

  identify(sent: SentActions): KnownOperation | 'mismatch' {
    let named: readonly Member[] | null = null;
    let first: string | null = null;
    for (const action of [...sent.http, sent.addressing]) {
      if (action === null) continue;
      const owners = this.#owners.get(action);
      if (this.#isOpen ? first !== null && action !== first : owners === undefined) {
        return 'mismatch';
      }
      first = action;
      if (owners !== undefined) {
        named = named === null ? owners : named.filter((member) => owners.includes(member));
      }
    }
    if (named === null || this.#members.size === 1) return this.whole;
    if (named.length === 0) return 'mismatch';
    const known = this.#byAddressing(sent, named) ?? this.#byHttp(sent, named);
    return known !== null && this.#coversAddressing(known, sent.addressing) ? known : this.whole;
  }

  /**
   * The possible operations of a message that names this SOAPAction, which is the operation's, and
   * nothing else.
   */
  called(name: string, soapAction: string | null): KnownOperation | null {
    if (!this.#members.has(name)) return null;
    return (soapAction === null ? null : this.#byAction.get(soapAction)) ?? this.whole;
  }

  /** Only where the WSDL declares the action: few backends read an action by default. */
  #byAddressing(
    { http, addressing, isAddressed, isRewritten }: SentActions,
    named: readonly Member[],
  ) {
    const member = isAddressed && addressing !== null ? this.#byNamed.get(addressing) : undefined;
    if (member?.known == null || !named.includes(member)) return null;
    // A backend may read SOAPAction alone: then that must be the same.
    return isRewritten || member.sent === null || http.includes(member.sent) ? member.known : null;
  }

  /**
   * A backend may read `wsa:Action` alone: then every operation that has this one is a candidate.
   */
  #coversAddressing({ candidates }: KnownOperation, addressing: string | null): boolean {
    if (addressing === null) return true;
    const owners = [...this.#members.values()].filter(({ actions }) => actions.has(addressing));
    return owners.every(({ operation }) => candidates.includes(operation));
  }

  /** The backend receives a SOAPAction of the WSDL, and may be any operation that has it. */
  #byHttp({ http, isRewritten }: SentActions, named: readonly Member[]): KnownOperation | null {
    const [first] = named;
    if (first === undefined) return null;
    const { sent } = first;
    if (isRewritten && sent !== null && named.every((member) => member.sent === sent)) {
      return this.#byAction.get(sent) ?? null;
    }
    for (const action of http) {
      if (action !== null && named.every(({ soapActions }) => soapActions.has(action))) {
        return this.#byAction.get(action) ?? null;
      }
    }
    return null;
  }

  #own(action: string, member: Member): void {
    const owners = this.#owners.get(action) ?? [];
    if (!owners.includes(member)) {
      this.#owners.set(action, [...owners, member]);
    }
  }

  /**
   * The bare name (spyne), `uri#name` (SOAP::Lite), `uri/name`, `uri:name`. None that the WSDL
   * gives to something else: a backend that reads the action alone would take the message for that.
   */
  #ownAliases(
    name: string,
    members: readonly Member[],
    ownersOf: (action: string) => ReadonlySet<string>,
  ): void {
    for (const alias of this.#aliasesOf(name)) {
      const isElsewhere = [...ownersOf(alias)].some((owner) => !this.#members.has(owner));
      if (!this.#owners.has(alias) && !isElsewhere) {
        this.#owners.set(alias, members);
      }
    }
  }

  #aliasesOf(name: string): readonly string[] {
    if (this.#body === null) return [name];
    const { uri } = this.#body;
    return [
      name,
      `${uri}#${name}`,
      `${uri.endsWith('/') ? uri : `${uri}/`}${name}`,
      `${uri}:${name}`,
    ];
  }
}

/** One operation, at whichever ports it is offered. */
class Member {
  readonly operation: Operation;
  /** All actions that the WSDL or the configuration gives it. */
  readonly actions = new Set<string>();
  readonly soapActions = new Set<string>();
  /** The actions of WS-Addressing, as far as the WSDL names them. */
  readonly namedActions = new Set<string>();
  readonly inputs: Payload[] = [];
  /**
   * The SOAPAction it is called with; null where it has none, or one at one port and another at the
   * next.
   */
  sent: string | null;
  /** It alone. */
  known: KnownOperation | null = null;
  readonly #isConfigured: boolean;

  constructor(operation: Operation, configured: string | null) {
    this.operation = operation;
    this.#isConfigured = configured !== null;
    this.sent = configured ?? (operation.soapAction === '' ? null : operation.soapAction);
    this.add(operation);
  }

  add({ soapAction, addressingAction, namesAction, input }: Operation): void {
    this.inputs.push(input);
    if (soapAction !== null && soapAction !== '') {
      this.actions.add(soapAction);
      this.soapActions.add(soapAction);
      if (!this.#isConfigured && soapAction !== this.sent) {
        this.sent = null;
      }
    }
    if (addressingAction === null || addressingAction === '') return;
    this.actions.add(addressingAction);
    if (namesAction === true) {
      this.namedActions.add(addressingAction);
    }
  }
}

/** Names in one label: further ones are left out. */
const NAMES_MAX = 3;

function knownOf(members: readonly Member[], soapAction: string | null): KnownOperation {
  const [first] = members;
  if (first === undefined) throw new Error('no operation');
  const { operation } = first;
  const names = members.map((member) => member.operation.name);
  const inputs = members.flatMap((member) => member.inputs);
  return Object.freeze({
    operation,
    candidates: members.map((member) => member.operation),
    label:
      names.length > NAMES_MAX ? [...names.slice(0, NAMES_MAX), '...'].join('|') : names.join('|'),
    soapAction,
    soapActionField: soapAction === null ? null : `"${soapAction}"`,
    parts: expectedParts(inputs, true)(operation.input),
  });
}
