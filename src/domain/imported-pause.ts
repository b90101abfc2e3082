// The reason that an import stores when it pauses a monitor because the check was paused at its former service. By this
// reason a later import, or a person, can tell such a pause from one that a person asked for.

/** The reason for a pause that was taken over from another service. `service` is its name, such as `Healthchecks`. */
export const importedPauseReason = (service: string): string => `paused at ${service}`;

const SERVICES = ["Healthchecks", "Uptime Kuma", "Cronitor", "the other service"];

/** Whether an import paused the monitor for this reason. `reason` is `null` when the pause has none. */
export const isImportedPause = (reason: string | null): boolean =>
  reason !== null && SERVICES.some((service) => reason === importedPauseReason(service));
