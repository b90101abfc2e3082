// The one grammar for mail addresses. An address reaches SMTP commands and header lines, so only the plain form passes:
// no quotes, comments, lists or display names that a library could read as a second recipient.

const LOCAL_PART = /^[A-Za-z0-9_][A-Za-z0-9_+'=&~#-]*(?:\.[A-Za-z0-9_+'=&~#-]+)*$/;
const DOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
const LOCAL_PART_LENGTH = 64;
const ADDRESS_LENGTH = 254;

/**
 * Whether the text is one bare mail address, `local@domain` in ASCII. Refuses commas, double quotes, angle brackets,
 * spaces and control characters; a domain in another script must be written in its `xn--` form. A one-label domain
 * (`root@localhost`) passes: local mail servers use it.
 */
export function isMailAddress(text: string): boolean {
  if (text.length > ADDRESS_LENGTH) return false;
  const at = text.indexOf("@");
  if (at < 1 || at > LOCAL_PART_LENGTH) return false;
  return LOCAL_PART.test(text.slice(0, at)) && DOMAIN.test(text.slice(at + 1));
}
