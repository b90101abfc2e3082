// Reads a receiver's answer if it is JSON. Any other answer says nothing.

/** The fields of a JSON object; of any other text none. */
export function factsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
