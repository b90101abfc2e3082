// The reason for the pause of an imported monitor that was paused at its former service. The next import recognises its
// own pause by these words.

/** `service` is the service's name for people. */
export const pausedAt = (service: string): string => `paused at ${service}`;

const SERVICES = ["Healthchecks", "Uptime Kuma", "Cronitor", "the other service"];

/** Whether an import gave this reason, because the check was paused at its former service. */
export const isImportedPause = (reason: string | null): boolean =>
  reason !== null && SERVICES.some((service) => reason === pausedAt(service));
