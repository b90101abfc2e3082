// What makes text inert in chats: it is shown as it is, calls nobody and is no markup. One function for each dialect. Some
// servers make a link of an address that stands in a text; no text leads elsewhere than it says.

/** U+200B, a space without width. It stands where two characters may not meet, for there is no escape all servers know. */
const GAP = "\u200b";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** For Slack: in text that is not formatted, these three are all that means something. */
export const slackText = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character]!);

/**
 * For what understands Slack's payload and shows it as Markdown, Mattermost and Rocket.Chat. Of the backslashes both
 * know only these; Rocket.Chat takes one before a bracket for a formula. No escape keeps them from calling `@all`.
 */
export function slackMarkdown(text: string): string {
  const parted = partLinks(partLineStarts(text)).replace(/[@#]|\|(?=\|)/g, `$&${GAP}`);
  return slackText(parted.replace(/[\\*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&"));
}

/** For Discord, which takes an address or `:name:` in a text for a link or a picture; in times of day it cannot. */
export const discordText = (text: string): string =>
  partLineStarts(text)
    .replace(/@/g, `@${GAP}`)
    .replace(/[\\*_~`|<>[\]()#]|:(?=[\w+/-])(?!(?<=\d:)\d\d(?!\d))/g, "\\$&");

/** For Adaptive Cards: a part of CommonMark, and functions in `{{` and `}}`. */
export const cardText = (text: string): string => partLinks(partLineStarts(text)).replace(/[\\`*_~<>&{}|#]/g, "\\$&");

/** `[text](address)` and its kin are links only as long as nothing stands between their halves. */
const partLinks = (text: string): string => text.replace(/\](?=[([:])/g, `]${GAP}`);

/** Lists, lines across, underlinings of headings and, by its indentation, code begin a line. */
const partLineStarts = (text: string): string => text.replace(/^(?=[ \t]|[-+=]|\d+[.)])/gm, GAP);

/** An address of our configuration as it can stand in any dialect's link: what would end the link there is encoded. */
export const linkAddress = (address: string): string =>
  address.replace(/[\s<>|()\\"`]/g, (character) => encodeURIComponent(character).replace(/[()]/, hexadecimal));

const hexadecimal = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
