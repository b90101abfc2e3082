// JSON and YAML of other services, of which nothing is certain: every field is looked at before it is used.

export type Thing = Readonly<Record<string, unknown>>;

export const isThing = (value: unknown): value is Thing =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Empty where it is no text and no number. */
export function textIn(object: Thing, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** Null where it is no number. */
export function numberIn(object: Thing, name: string): number | null {
  const value = object[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export const truthIn = (object: Thing, name: string): boolean => object[name] === true;

/** The things of a list; null where it is none. */
export function thingsIn(object: Thing, name: string): readonly Thing[] | null {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isThing) : null;
}

/** The texts of a list, or the one that stands in its place. */
export function textsIn(object: Thing, name: string): readonly string[] {
  const value = object[name];
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === "string");
  return typeof value === "string" && value !== "" ? [value] : [];
}
