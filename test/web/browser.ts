// A real browser (Debian: chromium) that a test drives through pages.

import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Instant } from "../../src/domain/time.ts";
import { browserCommand } from "../notify/browser.ts";
import { until } from "../support/executable.ts";

export { browserCommand };

/** It must not look for updates or send reports while it is tested. */
const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const openBrowser = (command: string): Promise<Browser> =>
  chromium.launch({ executablePath: command, args: OPTIONS });

/** As for a test itself: what has not come by then never will. Milliseconds. */
const PATIENCE = 100_000;

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/**
 * A page in a browser of its own, with what it complained of. `now`: what its clock says at first; null: the time that
 * it is.
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  now: Instant | null = null,
) {
  const context = await browser.newContext({ timezoneId: "Europe/Berlin", ...DESKTOP, ...options });
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

/** What axe finds wrong, one line each: the rule and the first place. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // By the debugger, because the page's policy lets no script in.
  const found = (await page.evaluate(
    `${AXE}; axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })`,
  )) as { violations: { id: string; nodes: { html: string }[] }[] };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
}

export const isTooWide = (page: Page): Promise<boolean> =>
  // A phone widens its window to what does not fit.
  page.evaluate("document.documentElement.scrollWidth > Math.min(innerWidth, screen.width)");
