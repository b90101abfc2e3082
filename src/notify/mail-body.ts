// An alert's words as the two parts of a mail, plain text and HTML. Everything is text until it is escaped here; no
// image, script or style sheet, so that nothing is fetched when the mail is read.

import type { Fact, Wording } from "../domain/wording.ts";

/** The plain text part. `withQuote`: whether the job's message is repeated. */
export function textBody(wording: Wording, withQuote: boolean): string {
  const { quote } = wording;
  const quoted = quote === null || !withQuote ? [] : [`${quote.label}:\n${indent(quote.value)}`];
  const width = Math.max(0, ...wording.facts.map((fact) => fact.label.length));
  const facts = wording.facts.map((fact) => `${fact.label.padEnd(width)}  ${fact.value}`).join("\n");
  const links = wording.links.map((link) => `${link.label}: ${link.url}`);
  const blocks = [...wording.story, ...quoted, ...wording.advice, facts, links.join("\n"), `-- \n${wording.signature}`];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

const indent = (text: string): string => text.replace(/^/gm, "    ");

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONOSPACE = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";

/** The HTML part. Styles stand on the elements, since mail programs drop style sheets. */
export function htmlBody(wording: Wording): string {
  const { subject, story, quote, advice, facts, links, signature, good } = wording;
  const colour = good ? "#1a7f37" : "#b42318";
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html(subject)}</title></head>
<body style="margin:0;padding:16px;background:#ffffff;color:#1f2328;${FONT};font-size:15px;line-height:1.5">
<div style="max-width:640px;margin:0 auto;border-top:4px solid ${colour};padding-top:12px">
<h1 style="margin:0 0 12px;font-size:19px;line-height:1.3;color:${colour}">${html(subject)}</h1>
${story.map(paragraph).join("\n")}
${quote === null ? "" : quotation(quote)}
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
<pre style="margin:0 0 12px;padding:8px 12px;background:#f6f8fa;border-left:3px solid #d0d7de;white-space:pre-wrap;overflow-wrap:anywhere;${MONOSPACE};font-size:13px" dir="auto">${html(value)}</pre>`;

const row = (label: string, value: string): string =>
  `<tr><th style="text-align:left;vertical-align:top;padding:2px 16px 2px 0;font-weight:normal;color:#656d76;white-space:nowrap">${html(label)}</th><td style="padding:2px 0;overflow-wrap:anywhere" dir="auto">${html(value)}</td></tr>`;

const anchor = (label: string, url: string): string =>
  `<a href="${html(url)}" style="color:#0969da">${html(label)}</a>`;
