// What the verdict says when something was not as the rulings have it: which monitor, what was expected, and the little
// that led there. The catcher adds the seed and the step.

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
