// Bodies that are JSON: their media type, and any JSON value behind their bytes. No library gets to reshape a value before it
// is checked, and what it means is not known here.

/** Whether this is the media type of a body that is read (R9); parameters such as a charset do not matter. */
export const isJson = (contentType: string | null): boolean =>
  contentType !== null && /^\s*application\/json\s*(?:;|$)/i.test(contentType);

/** Any JSON value; undefined, which JSON has not, for everything else. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
