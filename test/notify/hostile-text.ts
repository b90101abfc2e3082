// What jobs may call themselves and say: every character there is, and what is known to break formats, limits and
// people's reading. For properties of what is made of it.

import fc from "fast-check";
import type { AlertData, AlertKind } from "../../src/domain/message/alert.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { Severity } from "../../src/domain/message/presentation.ts";
import { alertOf } from "../support/alerts.ts";
import { refusalsOf, refusedOf } from "../support/notices.ts";

const KNOWN = [
  "<!channel> @everyone <@U123>",
  "a\r\nX-Injected: 1\r\n\r\nbody",
  'nul \0 quote " back \\ slash',
  '"}],"topic":"other","routing_key":"x',
  "\u202egnp.exe\u2066\u200b",
  "مهمة النسخ الاحتياطي فشلت",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "\ud800 half a pair \udfff",
  "\u2028\u2029\ufeff",
  "[text](https://evil.example) https://evil.example",
] as const;

/** Up to this many code points: any, or a known text repeated until it is that long. */
const hostileText = (length: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: "binary", maxLength: length }),
    fc.string({ unit: fc.constantFrom('"', "\\", "\n", "😀", "\0", "a", "é"), minLength: length, maxLength: length }),
    fc
      .tuple(fc.constantFrom(...KNOWN), fc.integer({ min: 1, max: length }))
      .map(([text, times]) => [...text.repeat(times)].slice(0, length).join("")),
  );

const kind = fc.constantFrom<AlertKind>(
  "InitialFailure",
  "NeverExecuted",
  "ContinuedFailure",
  "Acknowledged",
  "Recovered",
);

const address = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.nat({ max: 5_000 }).map((length) => `https://wiki.example.org/${'"'.repeat(length)}`),
  fc.constantFrom("javascript:alert(1)", "ftp://example.org/x", "https://example.org/\r\nX: 1"),
);

const place = fc.option(hostileText(200), { nil: null });

const changes: fc.Arbitrary<Partial<AlertData>> = fc.record<Partial<AlertData>>({
  kind,
  cause: fc.constantFrom("missed", "failed", "unfinished", "outcome"),
  severity: fc.constantFrom<Severity>("info", "warning", "error", "critical"),
  name: hostileText(200),
  monitorKey: hostileText(200),
  formerly: fc.option(fc.record({ name: hostileText(200), monitorKey: hostileText(200) }), { nil: null }),
  applicationName: fc.option(hostileText(200), { nil: null }),
  teamName: fc.option(hostileText(200), { nil: null }),
  owner: fc.option(hostileText(200), { nil: null }),
  environment: fc.option(hostileText(200), { nil: null }),
  failureMessage: fc.option(hostileText(1_000), { nil: null }),
  runId: fc.option(hostileText(128), { nil: null }),
  schedule: hostileText(400),
  runsOn: fc.option(fc.record({ host: place, user: place, where: place, unit: place }), { nil: null }),
  usualSeconds: fc.option(fc.nat(), { nil: null }),
  durationSeconds: fc.option(fc.nat(), { nil: null }),
  links: fc.dictionary(hostileText(20), address, { maxKeys: 6 }),
  url: fc.option(address, { nil: null }),
});

const notice: fc.Arbitrary<Message> = fc
  .array(fc.tuple(hostileText(200), hostileText(1_000)), { minLength: 1, maxLength: 60 })
  .map((jobs) => refusalsOf(jobs.map(([name, message]) => refusedOf({ name, fails: [{ at: 0, message }] }))));

/** Any alert or notice, with hostile text in every place that callers or the configuration fill. */
export const hostileMessage: fc.Arbitrary<Message> = fc.oneof(
  { weight: 4, arbitrary: changes.map((each) => alertOf(each)) },
  { weight: 1, arbitrary: notice },
);
