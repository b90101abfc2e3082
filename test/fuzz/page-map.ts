// What there is to attack among the pages: the routes that the product itself lists, and the links and forms that its
// pages show. So a page that is added is attacked, too. It asks the service as a browser does.

/** A route as the product lists it, such as `/jobs/:application/:key`. */
export interface PageRoute {
  readonly method: string;
  readonly path: string;
}

/** A form as a page shows it, with the values that it would send as it stands. */
export interface PageForm {
  readonly method: string;
  readonly path: string;
  readonly fields: ReadonlyMap<string, string>;
}

export interface PageMap {
  readonly routes: readonly PageRoute[];
  /** Addresses of ours that pages lead to. */
  readonly links: readonly string[];
  readonly forms: readonly PageForm[];
}

const PAGES_MAX = 80;
/** Attributes that name an address of ours. */
const LINK = /\s(?:href|src|hx-get|data-[\w-]+)="(\/(?!\/)[^"]*)"/g;
const FORM = /<form\b([^>]*)>(.*?)<\/form>/gs;
const FIELD = /<(?:input|button|select|textarea)\b([^>]*)/g;

/** Walks from page to page, from these on. `headers`: of somebody who has signed in. Throws for a page that is 5xx. */
export async function mapPages(
  url: string,
  first: readonly string[],
  headers: Record<string, string>,
  routes: readonly PageRoute[],
): Promise<PageMap> {
  const links = new Set(first);
  const forms = new Map<string, PageForm>();
  let looked = 0;
  for (const link of links) {
    if (isEndless(link) || looked++ >= PAGES_MAX) continue;
    const answer = await fetch(url + link, { headers, redirect: "manual" });
    const text = await answer.text();
    if (answer.status >= 500) throw new Error(`${link} is answered ${answer.status}: ${text}`);
    if (!answer.headers.get("content-type")?.startsWith("text/html")) continue;
    for (const [, path] of text.matchAll(LINK)) links.add(plain(path!).replace(/#.*/, ""));
    for (const [, attributes, inner] of text.matchAll(FORM)) {
      const form = formIn(attributes!, inner!, link);
      // It only closes a part of the page.
      if (form.method === "DIALOG") continue;
      forms.set(`${form.path} ${[...form.fields]}`, form);
    }
  }
  return { routes, links: [...links], forms: [...forms.values()] };
}

/** Whether the answer never ends: it says what is new for as long as somebody listens. */
export const isEndless = (path: string): boolean => path.startsWith("/live/");

function formIn(attributes: string, inner: string, page: string): PageForm {
  const fields = [...inner.matchAll(FIELD)].flatMap(([, its]): [string, string][] => {
    const name = attribute(its!, "name");
    return name === null ? [] : [[name, attribute(its!, "value") ?? ""]];
  });
  return {
    method: (attribute(attributes, "method") ?? "get").toUpperCase(),
    path: attribute(attributes, "action") ?? page,
    fields: new Map(fields),
  };
}

function attribute(attributes: string, name: string): string | null {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes) ?? [];
  return value === undefined ? null : plain(value);
}

const plain = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
