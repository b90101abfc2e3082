// Lays out the words of a message as the two parts of a mail, text and HTML. They have no images, scripts or style
// sheets, so that reading a mail loads nothing.

import { aroundRightToLeft } from "../domain/right-to-left.ts";
import type { Fact, Item, Link, Wording } from "../domain/wording/types.ts";
import { leadSentences, quoteAfterLead, storyAfterLead } from "../domain/wording/wording.ts";
import { COLOURS } from "./chat-layout.ts";

/**
 * Returns the text part. `footer` says why the mail came, one sentence a line. Without `withQuotes`, the words and the
 * output of jobs are left out.
 */
export function textBody(whole: Wording, footer: readonly string[], withQuotes: boolean): string {
  const wording = withQuotes ? whole : { ...whole, ownWords: null };
  const { items, advice, commands, facts, links, signature } = wording;
  const quoted = withQuotes ? mailFacts(wording).map(({ label, value }) => `${label}:\n${indent(value)}`) : [];
  const width = Math.max(0, ...facts.map((fact) => fact.label.length));
  const blocks = [
    leadSentences(wording),
    ...storyAfterLead(wording),
    ...quoted,
    items.map((item) => textItem(item, withQuotes)).join("\n"),
    ...advice,
    links.map(({ label, url }) => `${label}: ${url}`).join("\n"),
    facts.map(({ label, value }) => `${label.padEnd(width)}  ${value}`).join("\n"),
    commands.map(({ label, value }) => `${label}:\n${indent(value)}`).join("\n"),
    ["-- ", signature, ...footer].join("\n"),
  ];
  const text = blocks.filter((block) => block !== "").join("\n\n");
  return `${aroundRightToLeft(text, isolated)}\n`;
}

/**
 * Returns the job's own words and its last output. The job's own words are left out when its output already ends with
 * them.
 */
function mailFacts({ output, ...words }: Wording): readonly Fact[] {
  const quote = quoteAfterLead(words);
  return [quote !== null && output?.value.endsWith(quote.value) ? null : quote, output].filter((said) => said !== null);
}

/**
 * Puts invisible marks around the text, so that its direction does not affect the text beside it, as `<bdi>` does in
 * HTML.
 */
const isolated = (text: string): string => `\u2068${text}\u2069`;

function textItem({ name, details, quote }: Item, withQuotes: boolean): string {
  const lines = quote === null || !withQuotes ? details : [indent(quote), ...details];
  return [`- ${name}`, ...lines.map((line) => line.replace(/^/gm, "  "))].join("\n");
}

const indent = (text: string): string => text.replace(/^/gm, "    ");

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONOSPACE = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px";
/** The style of faint text. It sets no colour, because readers may have a light or a dark background. */
const FAINT = "opacity:.75";
const PARAGRAPH = "margin:0 0 12px";

/** Returns the HTML part. Mail programs drop style sheets, so elements have styles. `footer` says why the mail came. */
export function htmlBody(wording: Wording, footer: readonly string[]): string {
  const { subject, items, advice, commands, facts, links, signature, tone } = wording;
  const parts = [
    `<p style="margin:0 0 12px;font-size:17px;font-weight:600">${html(leadSentences(wording))}</p>`,
    ...storyAfterLead(wording).map(paragraph),
    ...mailFacts(wording).flatMap(({ label, value }) => [
      `<p style="margin:0 0 4px">${html(label)}:</p>`,
      preformatted(value),
    ]),
    ...(items.length === 0 ? [] : [`<ul style="margin:0 0 12px;padding-left:20px">`, ...items.map(htmlItem), "</ul>"]),
    ...advice.map(paragraph),
    ...(links.length === 0 ? [] : [`<p style="${PARAGRAPH}">${links.map(anchor).join("<br>")}</p>`]),
    ...(facts.length === 0 ? [] : [`<table style="border-collapse:collapse;margin:16px 0;font-size:14px">`]),
    ...facts.map(row),
    ...(facts.length === 0 ? [] : ["</table>"]),
    ...commands.map(command),
    `<p style="margin:16px 0 0;font-size:13px;${FAINT}">${[signature, ...footer].map(html).join("<br>")}</p>`,
  ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:16px;${FONT};font-size:15px;line-height:1.5;overflow-wrap:anywhere">
<div style="max-width:640px;margin:0 auto;border-top:4px solid ${COLOURS[tone]};padding-top:12px">
${parts.join("\n")}
</div>
</body>
</html>
`;
}

const escaped = (text: string): string => Bun.escapeHTML(text);

/** Escapes text and isolates right-to-left parts of it, so that these do not reorder the text beside them. */
const html = (text: string): string => aroundRightToLeft(text, (part) => `<bdi>${escaped(part)}</bdi>`, escaped);

const paragraph = (text: string): string => `<p style="${PARAGRAPH}">${html(text)}</p>`;

const preformatted = (text: string): string =>
  `<pre style="margin:0 0 12px;padding:8px 12px;background:rgba(127,127,127,.14);border-left:3px solid #8c959f;white-space:pre-wrap;overflow-wrap:anywhere;${MONOSPACE}" dir="auto">${escaped(text)}</pre>`;

const command = ({ label, value }: Fact): string =>
  `<p style="${PARAGRAPH}">${html(label)}:<br><code style="${MONOSPACE}">${value.split(BETWEEN_PARTS).map(unbroken).join(" ")}</code></p>`;

/**
 * Matches the spaces between the parts of a command. An option and its value are one part: in `--name x y` only the
 * second matches.
 */
const BETWEEN_PARTS = /(?<!--[\w-]+) /;

/**
 * A part of a command of at most this many characters is not broken over two lines. A longer one would be too wide for
 * a phone.
 */
const UNBROKEN_LENGTH = 36;

/**
 * Keeps a part of a command on one line: a mail program may break after any hyphen, and a `--` at the end is easily
 * misread.
 */
const unbroken = (part: string): string =>
  part.length > UNBROKEN_LENGTH
    ? part
        .split(" ")
        .map((word) => (word.length > UNBROKEN_LENGTH ? html(word) : nowrap(word)))
        .join(" ")
    : nowrap(part);

const nowrap = (text: string): string => `<span style="white-space:nowrap">${html(text)}</span>`;

const htmlItem = ({ name, details, quote }: Item): string =>
  `<li style="margin:0 0 8px"><strong>${html(name)}</strong>${quote === null ? "" : preformatted(quote)}${details
    .map((line, place) => `${quote !== null && place === 0 ? "" : "<br>"}${html(line)}`)
    .join("")}</li>`;

const row = ({ label, value }: Fact): string =>
  `<tr><th style="text-align:left;vertical-align:top;padding:2px 16px 2px 0;font-weight:normal;white-space:nowrap;${FAINT}">${html(label)}</th><td style="padding:2px 0">${html(value)}</td></tr>`;

const anchor = ({ label, url }: Link): string => `<a href="${escaped(url)}">${html(label)}</a>`;
