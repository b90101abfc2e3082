// What a receiver's answer says, when it is JSON. Whatever else it is, it says nothing.

/** The fields of a JSON object; of any other text none. */
export function factsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
