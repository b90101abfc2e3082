// Reads a receiver's answer if it is JSON; ignores any other answer.

/** The fields of a JSON object; any other text has none. */
export function factsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
