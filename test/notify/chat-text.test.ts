// What the chats share: cutting text between characters as people see them, and leaving out the least important first.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Item } from "../../src/domain/wording/types.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { discordText, slackText } from "../../src/notify/chat-layout.ts";
import { cutChatText, fullestThatFits } from "../../src/notify/chat-shorten.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";

const asItIs = (text: string) => text;

test("text is cut between what people see as characters, and a cut shows", () => {
  expect(cutChatText("Backup of the archive", 21, asItIs)).toBe("Backup of the archive");
  expect(cutChatText("Backup of the archive", 20, asItIs)).toBe("Backup of the archi…");
  expect(cutChatText("Backup of the archive", 8, asItIs)).toBe("Backup…");
  expect(cutChatText("ab👩‍🚀cd", 7, asItIs)).toBe("ab…");
  expect(cutChatText("ab👩‍🚀cd", 8, asItIs)).toBe("ab👩‍🚀…");
  expect(cutChatText("e\u0301e\u0301e\u0301", 4, asItIs)).toBe("e\u0301…");
  expect(cutChatText("🇩🇪🇫🇷🇮🇹", 9, asItIs)).toBe("🇩🇪🇫🇷…");
  expect(cutChatText("a&b", 5, slackText)).toBe("a…");
});

test("a cut text has its length as the receiver counts it, and is as long as it can be", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "*", "&", "@", "👩‍🚀", "é", "](", "漢") });
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 8, max: 80 }),
      fc.constantFrom(slackText, discordText),
      (text, length, inert) => {
        const cut = cutChatText(text, length, inert);
        expect(cut.length).toBeLessThanOrEqual(length);
        if (inert(text).length <= length) expect(cut).toBe(inert(text));
        else expect(cut.length).toBeGreaterThan(length - 14);
        expect(cut.isWellFormed()).toBe(true);
      },
    ),
  );
});

const item = (name: string): Item => ({ name, details: [], quote: "said ".repeat(100) });

const LONG = {
  ...wordingOf(alertOf({ failureMessage: "disk full ".repeat(90) }), ALERT_AT),
  items: [
    ...Array.from({ length: 50 }, (_, place) => item(`Job ${place} (prod)`)),
    { ...item("and 7 more"), quote: null, unnamed: 7 },
  ],
};

test("the least important goes first: commands, jobs, their words, facts, the message, links, advice; what happened stays", () => {
  const forms: number[][] = [];
  for (let length = JSON.stringify(LONG).length; length > 200; length -= 40) {
    const words = fullestThatFits(LONG, asWords, (form) => JSON.stringify(form).length <= length);
    const { items, facts, quote, links, advice, commands } = words;
    const said = items.some((each) => each.quote !== null);
    const counts = [
      commands.length,
      items.length,
      said,
      facts.length,
      quote?.value.length ?? 0,
      links.length,
      advice.length,
    ];
    forms.push(counts.map(Number));
  }
  const losses = forms.flatMap((form, place) =>
    place === 0 ? [] : [form.map((count, part) => count < forms[place - 1]![part]!)],
  );
  const order = losses.flatMap((lost) => lost.flatMap((isLess, part) => (isLess ? [part] : [])));
  expect(order.filter((part, place) => order.indexOf(part) === place)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

const asWords = <Words>(words: Words): Words => words;

test("what is left out is counted, with what the list left out already", () => {
  const { items, story, subject } = fullestThatFits(LONG, asWords, ({ items }) => items.length <= 31);
  expect(items).toHaveLength(31);
  expect(items[29]).toMatchObject({ name: "Job 29 (prod)", quote: expect.stringMatching(/^said said .*…$/) });
  expect(items[30]).toEqual({ name: "and 27 more", details: [], quote: null, unnamed: 27 });
  expect({ story, subject }).toEqual({ story: LONG.story, subject: LONG.subject });
});

test("what fits is left as it is", () => {
  expect(fullestThatFits(LONG, asWords, () => true)).toBe(LONG);
});
