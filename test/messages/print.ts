// Prints docs/messages.md: every message in every circumstance, as it reads. `test/task messages` writes it.

import { leadSentences, quoteAfterLead, storyAfterLead, wordingOf } from "../../src/domain/wording/wording.ts";
import { ACKNOWLEDGEMENTS, LATE, RECOVERIES, REMINDERS } from "./endings.ts";
import { FAILED, MISSED, NEW_CAUSES, OUTCOME, UNFINISHED } from "./openings.ts";
import type { Row, Section } from "./row.ts";
import { DIGESTS, GAPS, REFUSED, SELF, TESTS } from "./service.ts";

export const SECTIONS: readonly Section[] = [
  MISSED,
  FAILED,
  UNFINISHED,
  OUTCOME,
  NEW_CAUSES,
  REMINDERS,
  RECOVERIES,
  LATE,
  ACKNOWLEDGEMENTS,
  DIGESTS,
  GAPS,
  REFUSED,
  SELF,
  TESTS,
];

const HEAD = `# What rollcall says

This page has every message in every circumstance. \`test/task messages\` prints it from what rollcall decides, and a
test fails when it is not what the messages say now.

- Line 1 is the subject of a mail, the first line of a chat message, the title of a push notification.
- Line 2 stands under it. A phone shows both while it is locked. Line 2 is the reason that the job gave, where it gave
  one. Else it says what happened and what to do, which then comes first of the rest.
- The rest follows in this order: the story, what the job said, the jobs it is about, what else to do and what comes
  next, commands. Facts, links and the signature are left out here.
`;

/** The whole file. */
export const messagesDocument = (): string => [HEAD, ...SECTIONS.map(section)].join("\n");

const section = ({ title, about, rows }: Section): string =>
  [
    `## ${title}`,
    "",
    about,
    "",
    "| When | Line 1 | Line 2 | And then |",
    "|---|---|---|---|",
    ...rows.map(tableRow),
    "",
  ].join("\n");

/** Of a list of jobs; the others read alike. */
const ITEMS_SHOWN = 3;

function tableRow({ when, message, sentAt }: Row): string {
  const wording = wordingOf(message, sentAt);
  const { subject, items, advice, commands } = wording;
  const quote = quoteAfterLead(wording);
  const listed = items.slice(0, ITEMS_SHOWN).map(({ name, details, quote: said }) => {
    return [`• ${name}`, ...(said === null ? [] : [`> ${said}`]), ...details].join("<br>");
  });
  const rest = [
    ...storyAfterLead(wording),
    ...(quote === null ? [] : [`${quote.label}: > ${quote.value}`]),
    ...listed,
    ...(items.length > ITEMS_SHOWN ? ["…"] : []),
    ...advice,
    ...commands.map(({ label, value }) => `${label}:<br>\`${value}\``),
  ];
  return `| ${[when, subject, leadSentences(wording), rest.join("<br>")].map(cell).join(" | ")} |`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", "<br>");

if (import.meta.main) process.stdout.write(messagesDocument());
