// A real browser (Debian: chromium-headless-shell) that a test drives through pages.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Instant } from "../../src/domain/time.ts";
import { browserCommand, wholeBrowserCommand } from "../notify/browser.ts";
import { until } from "../support/executable.ts";

export { browserCommand, wholeBrowserCommand };

/**
 * What the browser leaves out. The first two lines would cost each window two more processes: one for the list below
 * its address, which is a page, and one that is kept ready. The others are playwright's own, because this takes the
 * place of its list.
 */
const WITHOUT = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"],
  "SpareRendererForSitePerProcess",
  ...["AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose"],
  ...["HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter", "OptimizationHints"],
  ...["PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"],
];

/** It must not look for updates or send reports while it is tested. */
const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${WITHOUT.join(",")}`,
];

const browsers = new Map<string, Promise<Browser>>();

/** One browser of a kind for all tests of this process, because a start costs seconds. It ends with the process. */
function startedBrowser(command: string): Promise<Browser> {
  const known = browsers.get(command);
  if (known !== undefined) return known;
  const started = chromium.launch({
    executablePath: join(import.meta.dir, "browser.sh"),
    env: { ...process.env, CHROMIUM: command },
    args: OPTIONS,
    // Else playwright makes a folder for each browser, which stays.
    artifactsDir: tmpdir(),
  });
  browsers.set(command, started);
  return started;
}

/** For a program that is no test: it would wait for its browser. */
export async function closeBrowser(): Promise<void> {
  for (const browser of browsers.values()) await (await browser).close();
}

/** As for a test itself: what has not come by then never will. Milliseconds. */
const PATIENCE = 100_000;

const DESKTOP = { viewport: { width: 1280, height: 900 } };
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** In the dark on a phone; a light page at a desk has little in common with it. */
const DARK_PHONE: BrowserContextOptions = { ...PHONE, colorScheme: "dark" };

export type PageOptions = BrowserContextOptions & { readonly needsWhole?: boolean };

/**
 * A page with cookies and storage of its own, and with what it complained of. `needsWhole`: the shell does not do for
 * it. `now`: what its clock says at first; null: the time that it is.
 */
export async function openPage(
  url: string,
  { needsWhole = false, ...options }: PageOptions = {},
  now: Instant | null = null,
) {
  const command = needsWhole ? wholeBrowserCommand! : browserCommand!;
  const context = await (await startedBrowser(command)).newContext({
    timezoneId: "Europe/Berlin",
    ...DESKTOP,
    ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  if (now !== null) await page.clock.install({ time: now });
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", ({ message }) => complaints.push(message));
  await page.goto(url);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Waits until this holds on the page. */
export const holds = (page: Page, script: string): Promise<true> =>
  until(script, async () => ((await page.evaluate(script)) ? true : null));

const AXE = (await import("axe-core")).source;

const AXE_OPTIONS = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
  // It would fetch the page's styles a second time, for a rule that none of these tags has.
  preload: false,
};

/** What axe finds wrong, one line each: the rule and the first place. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // By the debugger, because the page's policy lets no script in.
  const found = (await page.evaluate(
    `if (globalThis.axe === undefined) { ${AXE} }; axe.run(document, ${JSON.stringify(AXE_OPTIONS)})`,
  )) as { violations: { id: string; nodes: { html: string }[] }[] };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
}

interface Look {
  readonly options?: BrowserContextOptions;
  /** As for `openPage`. */
  readonly now?: Instant | null;
  /** Widths of windows beside its own. */
  readonly widths?: readonly number[];
}

/**
 * What is wrong with how these pages look, shown one after the other in one window: what axe finds, what does not fit a
 * width, and what the browser complains of. `targets.slow.test.ts` looks at each page at a desk, so tests of one page's
 * own contents need not.
 */
export async function faultsOfPages(urls: readonly string[], look: Look = {}): Promise<string[]> {
  const { options = DARK_PHONE, now = null, widths = [DESKTOP.viewport.width] } = look;
  await using opened = await openPage("about:blank", options, now);
  const { page, complaints } = opened;
  const { width: own, height } = page.viewportSize()!;
  const faults: string[] = [];
  for (const url of urls) {
    await page.goto(url);
    for (const fault of await accessibilityFaults(page)) faults.push(`${url} ${fault}`);
    for (const width of [own, ...widths, own]) {
      if (width !== page.viewportSize()!.width) await page.setViewportSize({ width, height });
      if (await isTooWide(page)) faults.push(`${url} is too wide for ${width} pixels`);
    }
  }
  return [...faults, ...complaints];
}

export const isTooWide = (page: Page): Promise<boolean> =>
  // A phone widens its window to what does not fit.
  page.evaluate("document.documentElement.scrollWidth > Math.min(innerWidth, screen.width)");

/** In its own window, and in those of a tablet and a desk, for which the styles have other layouts. */
export async function isTooWideAnywhere(page: Page): Promise<boolean> {
  const size = page.viewportSize()!;
  let found = false;
  for (const width of [1280, 768, size.width]) {
    await page.setViewportSize({ ...size, width });
    found ||= await isTooWide(page);
  }
  return found;
}
