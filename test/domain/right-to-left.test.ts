// Text from right to left is found whole, with the numbers that belong to it and nothing that does not.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { aroundRightToLeft } from "../../src/domain/right-to-left.ts";

const marked = (text: string): string => aroundRightToLeft(text, (run) => `[${run}]`);

test("a run reaches from its first letter to its last, with the number after it", () => {
  expect(marked("Missed: גיבוי לילי 2 (123), for 6 hours")).toBe("Missed: [גיבוי לילי 2] (123), for 6 hours");
  expect(marked("שלום, עולם: x نسخة احتياطية")).toBe("[שלום, עולם]: x [نسخة احتياطية]");
  expect(marked("א\nב")).toBe("[א]\n[ב]");
  expect(marked("٣ و 4")).toBe("[٣ و 4]");
  expect(marked("Größe 3 日本 🗄️")).toBe("Größe 3 日本 🗄️");
});

test("what is neither a run nor in one is made into something else", () => {
  expect(aroundRightToLeft("a<א>b", (run) => `<bdi>${run}</bdi>`, Bun.escapeHTML)).toBe("a&lt;<bdi>א</bdi>&gt;b");
});

test("no text is lost, and a long one takes no time worth naming", () => {
  const text = fc.string({ unit: fc.constantFrom("א", "ب", "֑", "٣", "a", "1", " ", "-", "\n", "<", "😀") });
  fc.assert(
    fc.property(text, (text) => {
      expect(aroundRightToLeft(text, (run) => run)).toBe(text);
      expect(marked(text).replace(/\[[^\]]*\]/g, "")).not.toMatch(/[\u0590-\u08ff]/);
    }),
  );
  for (const piece of ["א ", "֑", "א֑ ", "- "]) expect(marked(`א${piece.repeat(20_000)}`)).toStartWith("[א");
});
