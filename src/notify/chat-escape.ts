// Makes text inert in chats: the chat shows it as it is, calls nobody and reads no markup. One function for each
// dialect. Some servers turn an address in a text into a link, but no link leads elsewhere than it says.

/** U+200B, a space without width. It separates characters that may not meet, as no escape works on all servers. */
const GAP = "\u200b";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** For Slack: in unformatted text only these three characters mean something. */
export const slackText = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character]!);

/**
 * For Mattermost and Rocket.Chat, which understand Slack's payload and show it as Markdown. Both know only these
 * backslash escapes; Rocket.Chat reads a backslash before a bracket as a formula. No escape keeps them from calling
 * `@all`.
 */
export function slackMarkdown(text: string): string {
  const parted = partLinks(partLineStarts(text)).replace(/[@#]|\|(?=\|)/g, `$&${GAP}`);
  return slackText(parted.replace(/[\\*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&"));
}

/** For Discord, which reads an address or `:name:` in a text as a link or a picture, but not inside times of day. */
export const discordText = (text: string): string =>
  partLineStarts(text)
    .replace(/@/g, `@${GAP}`)
    .replace(/[\\*_~`|<>[\]()#]|:(?=[\w+/-])(?!(?<=\d:)\d\d(?!\d))/g, "\\$&");

/** For Adaptive Cards: a part of CommonMark, and functions in `{{` and `}}`. */
export const cardText = (text: string): string => partLinks(partLineStarts(text)).replace(/[\\`*_~<>&{}|#]/g, "\\$&");

/** `[text](address)` and the like are links only while nothing stands between their halves. */
const partLinks = (text: string): string => text.replace(/\](?=[([:])/g, `]${GAP}`);

/** Lists, horizontal rules, underlined headings and indented code start at the beginning of a line. */
const partLineStarts = (text: string): string => text.replace(/^(?=[ \t]|[-+=]|\d+[.)])/gm, GAP);

/** An address from our configuration, safe in any dialect's link: encodes characters that would end the link. */
export const linkAddress = (address: string): string =>
  address.replace(/[\s<>|()\\"`]/g, (character) => encodeURIComponent(character).replace(/[()]/, hexadecimal));

const hexadecimal = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
