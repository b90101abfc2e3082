// What a mail to a job's address means (R47), by plain words: those that a person gave, of a device, or the usual ones.

/** `text`: as much of its text as is looked at. */
export type Mail = Readonly<{ subject: string; text: string }>;

/** In the order in which their words count. */
const MEANINGS = ["ignore", "failure", "start", "success"] as const;
export type MailMeaning = (typeof MEANINGS)[number];
const PLACES = ["subject", "body", "both"] as const;

type RuleWords = Readonly<Partial<Record<MailMeaning, readonly string[]>>>;

/** `place` null: the subject decides, and the text only where none of the words stands in the subject. */
type MailRule = Readonly<{ words: RuleWords; place: (typeof PLACES)[number] | null; otherwise: MailMeaning }>;

/** What writes mails, in the words in which a person could give a rule, too. */
const PRESETS: Readonly<Record<string, string>> = {
  usual:
    "failure: fail, error, fatal, critical, degraded, unsuccessful, incomplete, partially, abort, crash, corrupt; " +
    "start: started, starting, begin; success: success, completed, finished, ok, passed, done",
  healthchecks: "else: success",
  cron: "else: failure",
  qnap:
    "failure: [error], [warning], severity: error, severity: warning, fail, degraded, abnormal, incomplete; " +
    "start: started; success: [information], [info], severity: information, finished, completed",
  synology:
    "failure: fail, error, warning, degraded, crash, critical, partially, abnormal, suspended, interrupted; " +
    "start: started; success: success, completed, finished",
  proxmox: "failure: fail, error; success: success, finished",
  smartd: "ignore: EmailTest; else: failure",
  mdadm: "ignore: TestMessage, NewArray; success: RebuildFinished, SpareActive; else: failure",
  ups: "ignore: self test, self-test; success: has returned, is back, restored, established, on line power; else: failure",
};

export const MAIL_PRESETS: readonly string[] = Object.keys(PRESETS);
export const MAIL_RULE_FORM =
  `${MAIL_PRESETS.join(", ")}, or such as ` +
  '"failure: degraded, error; start: begun; success: ok; ignore: test; in: subject; else: failure"';

export const isMailRule = (text: string): boolean => readRule(text) !== null;

/** A preset, or parts between semicolons, of which a preset may be the first; null: it is neither. */
function readRule(text: string): MailRule | null {
  const [first = "", ...more] = text.split(";");
  const preset = Object.hasOwn(PRESETS, first.trim()) ? PRESETS[first.trim()]! : first;
  const parts = [...preset.split(";"), ...more].filter((part) => part.trim() !== "");
  return parts.reduce<MailRule | null>((rule, part) => rule && withPart(rule, part), {
    words: {},
    place: null,
    otherwise: "success",
  });
}

function withPart(rule: MailRule, part: string): MailRule | null {
  const [name = "", ...behind] = part.split(":");
  const said = behind.join(":").trim();
  const words = said.split(",").flatMap((word) => word.trim() || []);
  const meant = (word: string) => MEANINGS.find((meaning) => meaning === word.trim());
  const [meaning, otherwise, place] = [meant(name), meant(said), PLACES.find((one) => one === said)];
  if (meaning !== undefined && words.length > 0) return { ...rule, words: { ...rule.words, [meaning]: words } };
  if (name.trim() === "else" && otherwise !== undefined) return { ...rule, otherwise };
  return name.trim() === "in" && place !== undefined ? { ...rule, place } : null;
}

/** `rule`: as `isMailRule` accepts it; null: the usual words. */
export function meaningOf(rule: string | null, { subject, text }: Mail): MailMeaning {
  const { words, place, otherwise } = readRule(rule ?? "usual")!;
  if (place === "both") return meaningIn(`${subject}\n${text}`, words) ?? otherwise;
  if (place !== null) return meaningIn(place === "subject" ? subject : text, words) ?? otherwise;
  // A report of a run that has ended may say in its text when it started.
  return meaningIn(subject, words) ?? meaningIn(text, { ...words, start: [] }) ?? otherwise;
}

const meaningIn = (text: string, words: RuleWords): MailMeaning | null =>
  MEANINGS.find((meaning) => saysOne(text, words[meaning] ?? [])) ?? null;

/** Around a word that is denied: `no errors`, `(0 failed`, `Errors: 0`; not `disk 0 failed`. */
const DENIED_BEFORE = /(?:\b(?:no|without|zero)\s+(?:any\s+)?|(?:^|[^\p{L}\p{N}\s]\s*|\b(?:with|and)\s+)0\s+)$/iu;
const DENIED_BEHIND = /^\p{L}*\s?[:=]\s?0(?![\p{L}\p{N}.])/u;
const LOOKED_AROUND = 30;

/** Whether a word of the text begins with one of these, in upper or lower case, and is not denied. */
function saysOne(text: string, words: readonly string[]): boolean {
  const literal = words.map((word) => word.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, "\\$&").replaceAll(/\s+/g, "\\s+"));
  const found =
    literal.length === 0 ? [] : text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${literal.join("|")})`, "giu"));
  return Iterator.from(found).some(({ index, 0: { length } }) => {
    const before = text.slice(Math.max(0, index - LOOKED_AROUND), index);
    const behind = text.slice(index + length, index + length + LOOKED_AROUND);
    return !DENIED_BEFORE.test(before) && !DENIED_BEHIND.test(behind);
  });
}
