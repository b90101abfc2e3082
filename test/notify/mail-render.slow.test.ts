// Mails as a real browser shows them, as wide as a phone: nothing that a job wrote becomes markup, runs, leads
// elsewhere, turns what stands beside it or makes the page too wide.

import { expect, test } from "bun:test";
import type { AlertData } from "../../src/domain/message/alert.ts";
import type { Message } from "../../src/domain/message/message.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { htmlBody } from "../../src/notify/mail-body.ts";
import { alertOf } from "../support/alerts.ts";
import { CLOCK_NOTICE, GAP_FROM, refusalsOf, refusedOf, unheardOf, unknownOf } from "../support/notices.ts";
import { browserCommand, lookAt, type SeenPage } from "./browser.ts";

const PHONE_WIDTH = 390;

const HOSTILE = [
  "<script>top.executed = true</script>",
  `<img src=x onerror="top.executed=true">`,
  `<svg onload=top.executed=true><a href="javascript:top.executed=true">x</a>`,
  `</td></tr></table></div></body><iframe src="javascript:top.executed=true">`,
  `"><a href=javascript:top.executed=true autofocus onfocus=top.executed=true>x</a>`,
  "</title></pre><style>*{width:9999px}</style><!--",
  "&lt;script&gt;&#60;b&#62;&amp;#x3c;",
  "\u202Egnp.exe\u2066\u2067",
  "n".repeat(200),
  "👩‍🚀".repeat(60),
  "גיבוי לילי 2",
];

const LINKS = { runbook: "https://wiki.example.org/?a=1&b=<c>&quot;", logs: `https://example.org/"onclick=x` };

const ELSEWHERE = `https://example.org/${"p".repeat(300)}`;

/** An alert in which this text stands wherever a job or a configuration can put one. */
function alertSaying(text: string, changes: Partial<AlertData> = {}): Message {
  const filled = { name: text, monitorKey: text, owner: text, environment: text, runId: text, failureMessage: text };
  const around = { applicationName: text, teamName: text, schedule: text, zoneHint: null };
  const outcomes = ["rows", "o".repeat(64)].map((key) => {
    const expected = { equals: null, min: 1e300, max: null };
    return { key, observed: 1e300, expected, verdict: "passed" } as const;
  });
  return alertOf({
    ...filled,
    ...around,
    outcomes,
    links: { ...LINKS, [`see ${text}`]: ELSEWHERE, [text]: "javascript:top.executed=true" },
    ...changes,
  });
}

const noticesSaying = (text: string): Message[] => [
  unheardOf([unknownOf({ name: text, key: text, runs: [{ runId: text, startedAt: GAP_FROM }] })]),
  refusalsOf([refusedOf({ application: "123", name: text, key: text, fails: [{ at: GAP_FROM, message: text }] })]),
];

const ENDED = { kind: "Recovered", reason: "success", durationSeconds: 9_999, missedSlots: 2 } as const;
const ALERTS = HOSTILE.flatMap((text) => [alertSaying(text), alertSaying(text, ENDED)]);
const NOTICES = [...HOSTILE.flatMap(noticesSaying), CLOCK_NOTICE];

const pageOf = (message: Message): string =>
  htmlBody(wordingOf(message, message.at), [`It came to ${"a".repeat(64)}@${"b".repeat(63)}.example.org.`]);

/** What a browser must see as what it is, or the rest proves nothing. */
const CONTROL = `<title>x</title><p style="width:500px">גיבוי <a href="/">(123)</a><img src=y onerror="top.executed = true">`;

const seenBy = (command: string): Promise<readonly SeenPage[]> => {
  const pages = [...ALERTS, ...NOTICES].map(pageOf);
  return lookAt(command, [...pages, CONTROL], PHONE_WIDTH, ["(123", "123", ")"]);
};

const OURS = "a bdi body br code div head html li meta p pre span strong table tbody td th title tr ul".split(" ");

test.skipIf(browserCommand === null)(
  "a browser finds in a mail our elements alone, runs and fetches nothing, and never scrolls sideways",
  async () => {
    const seen = await seenBy(browserCommand!);
    const control = seen.at(-1)!;
    expect(control).toMatchObject({ executed: true, handlers: ["onerror"], links: ["/"], title: "x" });
    expect(control.scrollWidth).toBeGreaterThan(PHONE_WIDTH);
    expect(control.fetched).toHaveLength(1);

    for (const [index, message] of [...ALERTS, ...NOTICES].entries()) {
      const page = seen[index]!;
      const { scrollWidth, elements, handlers, links, title, fetched, executed } = page;
      expect({ handlers, fetched, executed, title }).toEqual({
        handlers: [],
        fetched: [],
        executed: false,
        title: wordingOf(message, message.at).subject.replace(/\s+/g, " "),
      });
      expect(elements.filter((element) => !OURS.includes(element))).toEqual([]);
      expect(links).toEqual(index < ALERTS.length ? [...Object.values(LINKS), ELSEWHERE] : []);
      expect(scrollWidth).toBeLessThanOrEqual(PHONE_WIDTH);
    }

    // A name from right to left must not take the number after it, and the bracket, to its own side.
    const hebrew = seen[ALERTS.length + NOTICES.length - 2]!;
    expect(hebrew.places.toSorted((a, b) => a! - b!)).toEqual([...hebrew.places]);
    expect(control.places.toSorted((a, b) => a! - b!)).not.toEqual([...control.places]);
  },
  120_000,
);
