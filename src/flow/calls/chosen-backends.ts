import type { Canary, SoapService } from '../../compile/soap/service.js';
import { type CanaryCaller, chooseBackend, withRoom } from './canary-choice.js';

/** The backend of an answer, as addresses of content name it; null: that of the service. */
export type BackendMark = readonly [digest: string, isAsked: boolean] | null;

export const markOf = ({ chosen }: SoapService): BackendMark =>
  chosen === null ? null : [chosen.digest, chosen.isAsked];

/** The backends of one operation: all its calls of a service go to the same one. */
export class ChosenBackends {
  readonly #caller: () => CanaryCaller;
  readonly #chosen = new Map<Canary, SoapService>();

  constructor(caller: () => CanaryCaller) {
    this.#caller = caller;
  }

  /** The service as it is called. Resolves where that is known only later. */
  called(service: SoapService, canary: Canary): SoapService | Promise<SoapService> {
    const mayMove = !this.#chosen.has(canary) && !canary.share.isSticky;
    const chosen = this.of(service, canary);
    const found = withRoom(service, canary, chosen, this.#caller(), mayMove);
    if (!(found instanceof Promise)) return this.#set(canary, found);
    return found.then((later) => this.#set(canary, later));
  }

  /** The backend that calls of the service go to. */
  of(service: SoapService, canary: Canary): SoapService {
    return (
      this.#chosen.get(canary) ?? this.#set(canary, chooseBackend(service, canary, this.#caller()))
    );
  }

  /**
   * Goes on at the backend that an earlier answer came from, as long as that gets calls. Returns
   * whether it does.
   */
  goOnAt(service: SoapService, canary: Canary, mark: BackendMark): boolean {
    const { digest, share, byHeader, byShare } = canary;
    if (mark === null) {
      this.#set(canary, service);
      return true;
    }
    const [markedDigest, isAsked] = mark;
    if (markedDigest !== digest || (share.share <= 0 && !isAsked)) return false;
    this.#set(canary, isAsked ? byHeader : byShare);
    return true;
  }

  #set(canary: Canary, service: SoapService): SoapService {
    this.#chosen.set(canary, service);
    return service;
  }
}
