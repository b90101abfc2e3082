// A message's words as the two parts of a mail, plain text and HTML. Everything is text until it is escaped here; no
// image, script or style sheet, so that nothing is fetched when the mail is read.

import type { Fact, Item, Wording } from "../domain/wording.ts";

/** The plain text part. `withQuotes`: whether what jobs reported is repeated. */
export function textBody(wording: Wording, withQuotes: boolean): string {
  const { quote } = wording;
  const quoted = quote === null || !withQuotes ? [] : [`${quote.label}:\n${indent(quote.value)}`];
  const items = wording.items.map((item) => textItem(item, withQuotes)).join("\n");
  const width = Math.max(0, ...wording.facts.map((fact) => fact.label.length));
  const facts = wording.facts.map((fact) => `${fact.label.padEnd(width)}  ${fact.value}`).join("\n");
  const links = wording.links.map((link) => `${link.label}: ${link.url}`);
  const { story, advice, signature } = wording;
  const blocks = [...story, ...quoted, items, ...advice, facts, links.join("\n"), `-- \n${signature}`];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function textItem({ name, details, quote }: Item, withQuotes: boolean): string {
  const lines = quote === null || !withQuotes ? details : [...details, indent(quote)];
  return [`- ${name}`, ...lines.map((line) => line.replace(/^/gm, "  "))].join("\n");
}

const indent = (text: string): string => text.replace(/^/gm, "    ");

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONOSPACE = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";

const COLOURS: Record<Wording["tone"], string> = { good: "#1a7f37", bad: "#b42318", neutral: "#44546f" };

/** The HTML part. Styles stand on the elements, since mail programs drop style sheets. */
export function htmlBody(wording: Wording): string {
  const { subject, story, quote, items, advice, facts, links, signature, tone } = wording;
  const colour = COLOURS[tone];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html(subject)}</title></head>
<body style="margin:0;padding:16px;background:#ffffff;color:#1f2328;${FONT};font-size:15px;line-height:1.5">
<div style="max-width:640px;margin:0 auto;border-top:4px solid ${colour};padding-top:12px">
<h1 style="margin:0 0 12px;font-size:19px;line-height:1.3;color:${colour}">${html(subject)}</h1>
${story.map(paragraph).join("\n")}
${quote === null ? "" : quotation(quote)}
${items.length === 0 ? "" : `<ul style="margin:0 0 12px;padding-left:20px">\n${items.map(htmlItem).join("\n")}\n</ul>`}
${advice.map(paragraph).join("\n")}
<table style="border-collapse:collapse;margin:16px 0;font-size:14px">
${facts.map(({ label, value }) => row(label, value)).join("\n")}
</table>
${links.length === 0 ? "" : `<p style="margin:0 0 12px">${links.map(({ label, url }) => anchor(label, url)).join(" &nbsp; ")}</p>`}
<p style="margin:16px 0 0;color:#656d76;font-size:13px">${html(signature)}</p>
</div>
</body>
</html>
`;
}

const html = (text: string): string => Bun.escapeHTML(text);

const paragraph = (text: string): string => `<p style="margin:0 0 12px">${html(text)}</p>`;

const quotation = ({ label, value }: Fact): string =>
  `<p style="margin:0 0 4px">${html(label)}:</p>
${preformatted(value)}`;

const preformatted = (text: string): string =>
  `<pre style="margin:0 0 12px;padding:8px 12px;background:#f6f8fa;border-left:3px solid #d0d7de;white-space:pre-wrap;overflow-wrap:anywhere;${MONOSPACE};font-size:13px" dir="auto">${html(text)}</pre>`;

const htmlItem = ({ name, details, quote }: Item): string =>
  `<li style="margin:0 0 8px;overflow-wrap:anywhere"><strong dir="auto">${html(name)}</strong>${details
    .map((line) => `<br>${html(line)}`)
    .join("")}${quote === null ? "" : preformatted(quote)}</li>`;

const row = (label: string, value: string): string =>
  `<tr><th style="text-align:left;vertical-align:top;padding:2px 16px 2px 0;font-weight:normal;color:#656d76;white-space:nowrap">${html(label)}</th><td style="padding:2px 0;overflow-wrap:anywhere" dir="auto">${html(value)}</td></tr>`;

const anchor = (label: string, url: string): string =>
  `<a href="${html(url)}" style="color:#0969da">${html(label)}</a>`;
