import type { Buffer } from 'node:buffer';
import { jsonValues } from '../../core/index.js';
import { isShare } from '../../gateway/canary/canary-channel.js';
import {
  type AdminAnswer,
  type AdminPages,
  jsonAnswer,
  type Operator,
} from '../../observe/admin.js';

/** The share of one service, as operators see it. */
interface CanaryView {
  readonly service: string;
  readonly share: number;
}

/** Shows and moves the shares. */
export interface CanaryControl {
  /** Null where the service has no canary. */
  find(service: string): CanaryView | null | Promise<CanaryView | null>;
  /** Null where it has none. */
  move(
    service: string,
    share: number,
    by: Operator,
  ): CanaryView | null | Promise<CanaryView | null>;
}

const PATH = '/canary/';

/** Shows and moves the share of a canary: `POST /canary/<service>` with `{"share": 0.2}`. */
export const canaryPages = (control: CanaryControl): AdminPages => ({
  takesPost: (path) => path.startsWith(PATH),
  async answer({ method }, path, body, by) {
    if (!path.startsWith(PATH)) return null;
    const service = path.slice(PATH.length);
    if (method !== 'POST') return answerOf(service, await control.find(service));
    const share = shareIn(body);
    if (share === null) return problem(400, 'Write {"share": 0.2}, a number from 0 to 1.');
    return answerOf(service, await control.move(service, share, by));
  },
});

const answerOf = (service: string, view: CanaryView | null): AdminAnswer =>
  view === null
    ? problem(404, 'No service of this name has a canary.')
    : jsonAnswer({ service, share: view.share });

const problem = (status: number, what: string): AdminAnswer => ({
  ...jsonAnswer({ problem: what }),
  status,
});

/** The share that is asked for; null for anything else. */
function shareIn(body: Buffer | null): number | null {
  const asked = jsonValues.parsedJson(body?.toString('utf8') ?? '');
  const names = jsonValues.recordEntries(asked).map(([name]) => name);
  const share = jsonValues.readMember(asked, 'share');
  return names.length === 1 && isShare(share) ? share : null;
}
