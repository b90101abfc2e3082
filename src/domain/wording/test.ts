// The words of a test message: that it is a test, which rollcall sent it, and that nothing is wrong. It must not read
// like an alert.

import { cleanLine } from "../clean-text.ts";
import { NAME_LENGTH, SCHEDULE_LENGTH } from "../limits.ts";
import type { TestData, TestMessage } from "../message/test-message.ts";
import { SECOND } from "../time.ts";
import { signatureOf } from "./details.ts";
import { everyInWords } from "./spoken-time.ts";
import { latenessOf, shownName } from "./subject.ts";
import type { Fact, Sending, Wording } from "./types.ts";

/** The words of a test message. */
export function testWording({ data }: TestMessage, { late }: Sending): Wording {
  const words = data.monitorKey === null ? askedFor(data) : drilled(data, data.monitorKey);
  return {
    ...words,
    subject: `${words.subject}${latenessOf(late)}`,
    toDo: "Nothing is wrong, and there is nothing to do.",
    quote: null,
    output: null,
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
      "This is a test.",
      `Somebody asked for it with "rollcall notify test". Alerts that go to ${listed(destinations)} arrive like this message.`,
    ],
    facts: [
      { label: "Destination", value: destinations.join(", ") },
      { label: "Sent by", value: source },
    ],
  };
}

function drilled(data: TestData, key: string): Words {
  const { test, name, environment, onlyApplication } = data;
  const applicationId = onlyApplication ? null : data.applicationId;
  const monitor = shownName({ name: name ?? key, monitorKey: key });
  const every = everyInWords((test.everySeconds ?? 0) * SECOND);
  const rows: [string, string | null][] = [
    ["Monitor", key],
    ["Application", applicationId],
    ["Environment", environment],
    ["Destinations", test.destinations.join(", ")],
    ["Sent by", test.from],
  ];
  return {
    subject: `Drill, nothing is wrong: ${monitor}${applicationId === null ? "" : ` (${applicationId})`}`,
    story: [
      `This is a drill of the alerts of ${monitor}.`,
      `A drill goes ${every} to where the alerts of this job go. This one has shown that they arrive here.`,
    ],
    facts: rows.flatMap(([label, value]): Fact[] =>
      value === null ? [] : [{ label, value: cleanLine(value, SCHEDULE_LENGTH) }],
    ),
  };
}

const listed = (destinations: readonly string[]): string => destinations.map((name) => `"${name}"`).join(", ");
