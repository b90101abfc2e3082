// What a test message says: that it is one, from which rollcall, and that nothing is wrong. Nothing in it may read like
// the alert whose way it takes.

import { cleanLine } from "./clean-text.ts";
import { NAME_LENGTH, SCHEDULE_LENGTH } from "./limits.ts";
import { durationInWords } from "./spoken-time.ts";
import type { TestData, TestMessage } from "./test-message.ts";
import { SECOND } from "./time.ts";
import type { Fact, Wording } from "./wording.ts";
import { signatureOf } from "./wording-details.ts";
import { latenessOf, shownName } from "./wording-subject.ts";

/** The words of a test; `late`: how late it is, in milliseconds, when it is late. */
export function testWording({ data }: TestMessage, late: number | null): Wording {
  const words = data.monitorKey === null ? askedFor(data) : drilled(data, data.monitorKey);
  return {
    ...words,
    subject: `${words.subject}${latenessOf(late)}`,
    quote: null,
    items: [],
    advice: [],
    commands: [],
    links: [],
    signature: signatureOf(data, "your jobs"),
    tone: "neutral",
  };
}

type Words = Pick<Wording, "subject" | "story" | "facts">;

function askedFor({ test: { from, destinations } }: TestData): Words {
  const source = cleanLine(from, NAME_LENGTH);
  return {
    subject: `Test message from rollcall at ${source}`,
    story: [
      "This is a test. Nothing is wrong, and there is nothing to do.",
      `Somebody asked for it with "rollcall notify test". Alerts that go to ${listed(destinations)} arrive like this message.`,
    ],
    facts: [
      { label: "Destination", value: destinations.join(", ") },
      { label: "Sent by", value: source },
    ],
  };
}

function drilled({ test, applicationId, name, environment }: TestData, key: string): Words {
  const monitor = shownName({ name: name ?? key, monitorKey: key });
  const every = durationInWords((test.everySeconds ?? 0) * SECOND);
  const rows: [string, string | null][] = [
    ["Monitor", key],
    ["Application", applicationId],
    ["Environment", environment],
    ["Destinations", test.destinations.join(", ")],
    ["Sent by", test.from],
  ];
  return {
    subject: `Drill, nothing is wrong: ${monitor} (${applicationId})`,
    story: [
      `This is a drill for ${monitor}. Nothing is wrong with the job, and there is nothing to do.`,
      `A drill goes every ${every} to where the alerts of this job go. This one has shown that they arrive here.`,
    ],
    facts: rows.flatMap(([label, value]): Fact[] =>
      value === null ? [] : [{ label, value: cleanLine(value, SCHEDULE_LENGTH) }],
    ),
  };
}

const listed = (destinations: readonly string[]): string => destinations.map((name) => `"${name}"`).join(", ");
