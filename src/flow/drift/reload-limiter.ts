const HOUR_MILLIS = 3_600_000;

/** Counts the reloads that changed WSDLs of backends cause. It survives them. */
export class ReloadLimiter {
  /** The times of the reloads in the last hour, by service. */
  readonly #times = new Map<string, readonly number[]>();

  /** Whether one more is permitted, which is counted then. */
  permit(service: string, perHour: number, nowMillis: number): boolean {
    const recent = (this.#times.get(service) ?? []).filter(
      (time) => nowMillis - time < HOUR_MILLIS,
    );
    if (recent.length >= perHour) return false;
    this.#times.set(service, [...recent, nowMillis]);
    return true;
  }
}
