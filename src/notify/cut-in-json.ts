// Texts within limits that count bytes: how long a text is once it stands in JSON, which is never shorter than its UTF-8.

const ELLIPSIS = "…";

/** The bytes of a text in JSON, without the quotation marks around it. */
export const bytesInJson = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** The text, or so much of its beginning that it takes at most `most` bytes in JSON; a cut shows as `…`. */
export function cutInJson(text: string, most: number): string {
  if (bytesInJson(text) <= most) return text;
  let kept = "";
  let left = most - bytesInJson(ELLIPSIS);
  for (const character of text) {
    left -= bytesInJson(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}
