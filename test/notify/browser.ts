// A real browser (Debian: chromium-headless-shell, chromium) that looks at pages and reports what it found. Tests that
// need it are left out where it is not installed; CI installs it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The whole browser, for pages that ask for a permission, such as to show notifications. Null: it is not installed. */
export const wholeBrowserCommand: string | null = Bun.which("chromium") ?? Bun.which("chromium-browser");

/**
 * The browser's command; null where it is not installed. The shell is Chromium without the windows around its pages: it
 * draws and runs them as Chromium does, for two thirds of the processor time, but knows no permissions.
 */
export const browserCommand: string | null = Bun.which("chromium-headless-shell") ?? wholeBrowserCommand;

if (process.env["ROLLCALL_TEST_BROWSER"] === "needed" && (browserCommand === null || wholeBrowserCommand === null))
  throw new Error("chromium and chromium-headless-shell are needed");

/** What the browser made of one page. */
export interface SeenPage {
  /** Wider than the window it was shown in: it has to be scrolled sideways. */
  readonly scrollWidth: number;
  /** Names of the elements in it, each once, sorted. */
  readonly elements: readonly string[];
  /** Attributes that would run something. */
  readonly handlers: readonly string[];
  /** As they stand in the page. */
  readonly links: readonly string[];
  readonly title: string;
  /** What it has fetched besides itself. */
  readonly fetched: readonly string[];
  /** Whether any script of it ran that set `top.executed`. */
  readonly executed: boolean;
  /** From left to right: where the first places of the texts that were asked for begin; null: not found. */
  readonly places: readonly (number | null)[];
}

/** Shows each page in a window so wide, one after the other, and looks for the texts in it. */
export async function lookAt(
  command: string,
  pages: readonly string[],
  width: number,
  texts: readonly string[],
): Promise<readonly SeenPage[]> {
  const { promise: seen, resolve } = Promise.withResolvers<readonly SeenPage[]>();
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/": html(`<body><script>(${look})(${pages.length}, ${width}, ${JSON.stringify(texts)})</script>`),
      "/page/:index": ({ params }) => html(pages[Number(params.index)] ?? ""),
      "/seen": async (request) => {
        resolve((await request.json()) as SeenPage[]);
        return new Response();
      },
    },
    fetch: () => new Response(null, { status: 404 }),
  });
  const home = mkdtempSync(join(tmpdir(), "rollcall-browser-"));
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${home}`];
  // Debian's command is a script that starts the browser, so all of its group is ended.
  const browser = Bun.spawn([command, ...options, server.url.href], {
    detached: true,
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    const gone = browser.exited.then((code) => Promise.reject(new Error(`the browser ended with ${code}`)));
    return await Promise.race([seen, gone]);
  } finally {
    process.kill(-browser.pid);
    await browser.exited;
    rmSync(home, { recursive: true, force: true });
  }
}

const html = (text: string): Response =>
  new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });

/** Runs in the browser, so it is text here: it must not use anything from outside itself. */
const look = `async (count, width, texts) => {
  const placeOf = (page, text) => {
    const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.data.indexOf(text);
      if (at === -1) continue;
      const range = page.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect().left;
    }
    return null;
  };
  const seen = [];
  for (let index = 0; index < count; index++) {
    window.executed = false;
    const frame = document.createElement("iframe");
    frame.style.cssText = "border:0;height:800px;width:" + width + "px";
    frame.src = "/page/" + index;
    const loaded = new Promise((done) => frame.addEventListener("load", done));
    document.body.append(frame);
    await loaded;
    // A picture that fails to load says so in a later turn.
    await new Promise((done) => setTimeout(done, 20));
    const page = frame.contentDocument;
    const elements = [...page.querySelectorAll("*")];
    seen.push({
      scrollWidth: page.documentElement.scrollWidth,
      elements: [...new Set(elements.map((element) => element.localName))].sort(),
      handlers: elements.flatMap(({ attributes }) => [...attributes].map(({ name }) => name)).filter((name) => name.startsWith("on")),
      links: [...page.links].map((link) => link.getAttribute("href")),
      title: page.title,
      fetched: frame.contentWindow.performance.getEntriesByType("resource").map(({ name }) => name),
      executed: window.executed,
      places: texts.map((text) => placeOf(page, text)),
    });
    frame.remove();
  }
  await fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
}`;
