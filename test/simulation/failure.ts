// The verdict's message when a ruling was broken: which monitor, what was expected, and the few events that led there.
// The catcher adds the seed and the step.

export class Contradiction extends Error {
  constructor(
    readonly what: string,
    readonly about: string | null,
    readonly details: Readonly<Record<string, unknown>>,
    readonly context: readonly string[],
  ) {
    super(`${what}${about === null ? "" : ` (${about})`}`);
  }
}
