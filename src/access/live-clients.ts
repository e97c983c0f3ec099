import { asRefusal, collections, type Refusal, TimeSlices } from '../core/index.js';
import type { CallerIdentity, Client } from './client.js';
import {
  type AccessRules,
  LiveClient,
  type LiveIdentification,
  PATIENCE,
  type Patience,
} from './live-client.js';

/**
 * Questions of one kind that are under way together, at most: to an authorization server, or about
 * a password.
 */
const ASKED_AT_ONCE = 16;

/**
 * The clients of connections and streams that outlive a request: WebSockets, subscriptions, event
 * streams. What is withdrawn ends them: each is identified again when the rules change, and when
 * its credentials are due.
 */
export class LiveClients implements LiveIdentification {
  #rules: AccessRules;
  #epoch = 0;
  readonly patience: Patience;
  readonly #open = new Set<LiveClient>();
  /** For ways of identification that ask others. */
  readonly #limits: ReadonlyMap<Client['by'], collections.ConcurrencyLimit> = new Map([
    ['introspection', new collections.ConcurrencyLimit(ASKED_AT_ONCE)],
    ['basic', new collections.ConcurrencyLimit(ASKED_AT_ONCE)],
  ]);

  constructor(rules: AccessRules, patience = PATIENCE) {
    this.#rules = rules;
    this.patience = patience;
  }

  get rules(): AccessRules {
    return this.#rules;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Clients that are watched. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * Watches the credentials of a client that `rules` have identified, until it is closed or has
   * ended.
   */
  open(caller: () => CallerIdentity, client: Client, rules: AccessRules): LiveClient {
    const live = new LiveClient(this, caller, client, rules, () => this.#open.delete(live));
    this.#open.add(live);
    // The rules have changed while its request was on its way.
    live.recheck();
    return live;
  }

  /** Uses these rules from now on. Nothing is done for a client before they have confirmed it. */
  replace(rules: AccessRules): void {
    this.#rules = rules;
    this.recheck();
  }

  /** Identifies all clients again: something that their credentials rely on has changed. */
  recheck(): void {
    this.#epoch++;
    void this.#recheckAll(this.#epoch);
  }

  /**
   * Questions to others wait for their turn: thousands of clients must not be asked about at once.
   */
  async identify(caller: () => CallerIdentity, { by }: Client): Promise<Client | Refusal> {
    const ask = async (): Promise<Client> =>
      this.#rules.access.identify({ ...caller(), isRepeated: true });
    const limit = this.#limits.get(by);
    try {
      return await (limit === undefined ? ask() : limit.run(ask));
    } catch (caught) {
      return asRefusal(caught);
    }
  }

  async #recheckAll(epoch: number): Promise<void> {
    const slices = new TimeSlices();
    for (const live of this.#open) {
      await slices.pause();
      // A later change checks all of them.
      if (epoch !== this.#epoch) return;
      live.recheck();
    }
  }
}
