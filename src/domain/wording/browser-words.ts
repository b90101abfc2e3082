// Turns the user agent, by which a browser names itself, into a few words. No decision may depend on that guess.

const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|Chromium)\//],
  ["Safari", /\bSafari\//],
  ["curl", /^curl\//],
];

const SYSTEMS: readonly (readonly [name: string, sign: RegExp])[] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** Names a browser: `Firefox on Linux`. An unknown browser keeps its own name, cut at `AGENT_SHOWN` characters. */
export function agentInWords(agent: string): string {
  const browser = nameIn(BROWSERS, agent);
  const system = nameIn(SYSTEMS, agent);
  if (browser === null) return agent === "" ? "A browser that does not say which" : agent.slice(0, AGENT_SHOWN);
  return system === null ? browser : `${browser} on ${system}`;
}

const AGENT_SHOWN = 60;

const nameIn = (signs: typeof BROWSERS, agent: string): string | null =>
  signs.find(([, sign]) => sign.test(agent))?.[0] ?? null;
