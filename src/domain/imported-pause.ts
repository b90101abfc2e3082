// Why a monitor is paused that was paused where it comes from: by these words the next import knows its own pause.

/** `service`: its name for people. */
export const pausedAt = (service: string): string => `paused at ${service}`;
