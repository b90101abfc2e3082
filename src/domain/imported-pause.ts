// Why a monitor is paused that was paused where it comes from: by these words the next import knows its own pause.

/** `service`: its name for people. */
export const pausedAt = (service: string): string => `paused at ${service}`;

const SERVICES = ["Healthchecks", "Uptime Kuma", "Cronitor", "the other service"];

/** Whether an import gave this reason because the check was paused where it comes from. */
export const isImportedPause = (reason: string | null): boolean =>
  reason !== null && SERVICES.some((service) => reason === pausedAt(service));
