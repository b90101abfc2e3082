// What the address of a list asks for: which part, of which application, and from where on. Everything that is not
// understood is left out.

export interface ListQuery<Part extends string> {
  readonly show: Part;
  /** A slug; empty: all. */
  readonly app: string;
  /** Only what is older than this number; null: from the newest. */
  readonly before: number | null;
}

const SLUG_LENGTH = 100;

/** `parts`: the first is the one without a word in the address. */
export function readListQuery<Part extends string>(search: URLSearchParams, parts: readonly Part[]): ListQuery<Part> {
  const before = Number(search.get("before"));
  return {
    show: parts.find((part) => part === search.get("show")) ?? parts[0]!,
    app: (search.get("app") ?? "").slice(0, SLUG_LENGTH),
    before: Number.isSafeInteger(before) && before > 0 ? before : null,
  };
}

/** The address without what is as usual. */
export function listPath<Part extends string>(
  path: string,
  { show, app, before }: ListQuery<Part>,
  parts: readonly Part[],
): string {
  const search = new URLSearchParams({
    ...(show === parts[0] ? {} : { show }),
    ...(app === "" ? {} : { app }),
    ...(before === null ? {} : { before: String(before) }),
  }).toString();
  return search === "" ? path : `${path}?${search}`;
}
