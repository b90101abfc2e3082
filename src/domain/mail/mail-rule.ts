// Decides what a mail to a monitor's address means (R47), by the words in it. The words come from a person's own rule,
// from a preset for a program or device, or from the usual rule.

import { boundedMap } from "../maps.ts";
import { failuresIn, isDoubted, isSaid, patternOf, plainMailText, successesIn } from "./mail-words.ts";

/** `text` is the beginning of the mail's text, as far as words are searched in it. */
type Mail = Readonly<{ subject: string; text: string }>;

const MEANINGS = ["ignore", "failure", "start", "unclear", "success"] as const;
/** `unclear`: the mail says neither success nor failure, or a success with a doubt. People are told of it. */
export type MailMeaning = (typeof MEANINGS)[number];
const PLACES = ["subject", "body", "both"] as const;

type RuleWords = Readonly<Record<(typeof MEANINGS)[number], readonly string[]>>;

/**
 * `words` lists the words for each meaning, and `otherwise` is the meaning of a mail without any of these words.
 * `place` says where the words are searched. When `place` is `null`, the subject decides, and the text only if the
 * subject decides nothing.
 */
type MailRule = Readonly<{ words: RuleWords; place: (typeof PLACES)[number] | null; otherwise: MailMeaning }>;

/** Words of failure and success in seven languages, for the usual rule and presets. Accents and case are ignored. */
export const FAILURE =
  "fail, error, fatal, critical, degraded, unsuccessful, unhealthy, incomplet, partially, abort, crash, corrupt, " +
  "fault, broken, interrupted, cancel, overdue, denied, refused, nok, not run, no space, killed, timeout, timed out, did not finish, didn't finish, prematurely, stalled, exception, disk is full, disk full, could not, couldn't, cannot, can't, unable to, " +
  "fehlgeschlagen, fehler, gescheitert, erfolglos, abgebrochen, abgestürzt, beschädigt, unvollständig, teilweise, " +
  "herabgesetzt, nicht ausgeführt, konnte nicht, konnten nicht, vorzeitig, nicht erreichbar, fast voll, échec, échou, erreur, interrompu, impossible, dégradé, endommagé, n'a pas pu, n'a pas été, prématurément, presque plein, " +
  "falló, fallo, fallad, fallid, interrumpid, cancelad, dañad, no se pudo, casi lleno, fallit, impossibile, mislukt, fout, falh, erro";
export const SUCCESS =
  "success, succeed, complet, finished, ok, passed, done, healthy, erfolgreich, erfolg, abgeschlossen, beendet, fertig, " +
  "réussi, succès, terminé, achevé, abouti, éxito, correctamente, finalizad, terminad, riuscit, " +
  "geslaagd, gelukt, voltooid, concluíd, sucesso";
/** Words that make a success in the same text doubtful. */
export const UNCLEAR =
  "❌, ⚠, warning, skip, omit, issue, problem, conflict, mismatch, inconsisten, invalid, locked, lost, missed, stopped, not copied, not saved, not backed up, not included, " +
  "warnung, inkonsisten, verloren, gestoppt, übersprungen, ausgelassen, einschränkung, gesperrt, nicht gesichert, nicht kopiert, nicht übertragen, " +
  "avertissement, ignoré, omis, problème, verrouillé, non copié, non sauvegardé, advertencia, omiti, bloquead, no copiad, " +
  "avvis, saltat, non copiat, waarschuwing, overgeslagen, aviso, ignorad, pulad";
export const START = "started, starting, begin, begun, begonnen, démarr, commenc, iniciad, avviat, gestart";
const SHARED = `unclear: ${UNCLEAR}; success: ${SUCCESS}`;
const USUAL = `failure: ${FAILURE}; start: ${START}; ${SHARED}`;

/** Rules for mails of programs and devices, written as a person writes a rule. */
export const PRESETS: Readonly<Record<string, string>> = {
  usual: USUAL,
  healthchecks: "else: success",
  cron: "else: failure",
  qnap: `failure: [error], [warning], severity: error, severity: warning, [warnung], [avertissement], [advertencia], [avviso], abnormal, ${FAILURE}; start: ${START}; ${SHARED}`,
  synology: `failure: warning, abnormal, suspended, warnung, avertissement, advertencia, ${FAILURE}; start: ${START}; ${SHARED}`,
  proxmox: `failure: ${FAILURE}; ${SHARED}`,
  smartd: "ignore: SMART error (EmailTest), the following warning/error was logged; else: failure",
  mdadm:
    "ignore: TestMessage, NewArray, RebuildStarted, Rebuild20, Rebuild40, Rebuild60, Rebuild80; " +
    "success: RebuildFinished, SpareActive; else: failure",
  ups:
    `ignore: self test, self-test; failure: on battery, lost, battery is low, exhausted, replace, needs changing, ` +
    `unavailable, shutdown, overload, disconnected, died, ${FAILURE}; ` +
    "success: has returned, is back, restored, established, on line power, mains returned, reattached; else: failure",
};

export const MAIL_PRESETS: readonly string[] = Object.keys(PRESETS);
export const MAIL_RULE_FORM =
  `${MAIL_PRESETS.join(", ")}, or such as ` +
  '"failure: degraded, error; start: begun; success: ok; ignore: test; in: subject; else: failure"';

export const isMailRule = (text: string): boolean => readRule(text) !== null;

/**
 * Reads a rule such as `failure: error; else: success`, whose first part may name a preset; `null` if it is no rule.
 */
function readRule(text: string): MailRule | null {
  const [first = "", ...more] = text.split(";");
  const preset = Object.hasOwn(PRESETS, first.trim()) ? PRESETS[first.trim()]! : first;
  const parts = [...preset.split(";"), ...more].filter((part) => part.trim() !== "");
  return parts.reduce<MailRule | null>((rule, part) => rule && withPart(rule, part), {
    words: { ignore: [], failure: [], start: [], unclear: [], success: [] },
    place: null,
    otherwise: "unclear",
  });
}

function withPart(rule: MailRule, part: string): MailRule | null {
  const [name = "", ...behind] = part.split(":");
  const said = behind.join(":").trim();
  const words = said.split(",").flatMap((word) => word.trim() || []);
  const meant = (word: string) => MEANINGS.find((meaning) => meaning === word.trim());
  const [meaning, otherwise, place] = [meant(name), meant(said), PLACES.find((one) => one === said)];
  if (meaning !== undefined && words.length > 0)
    return { ...rule, words: { ...rule.words, [meaning]: [...rule.words[meaning], ...words] } };
  if (name.trim() === "else" && otherwise !== undefined) return { ...rule, otherwise };
  return name.trim() === "in" && place !== undefined ? { ...rule, place } : null;
}

/** What a mail means. `rule` is one that `isMailRule` accepts; `null` means the usual rule. */
export function meaningOf(rule: string | null, mail: Mail): MailMeaning {
  const { look, place, otherwise } = lookingBy(rule ?? "usual");
  const [subject, text] = [plainMailText(mail.subject), plainMailText(mail.text)];
  if (look.ignores(subject)) {
    // A mail with ignored words in its subject still counts as a failure if its other words tell of a failure.
    const rest = [look.withoutIgnored(subject), look.withoutIgnored(text)];
    return rest.some((one) => look.meaningIn(one) === "failure") ? "failure" : "ignore";
  }
  if (place === "both") return look.meaningIn(`${subject}\n${text}`) ?? otherwise;
  if (place !== null) return look.meaningIn(place === "subject" ? subject : text) ?? otherwise;
  const inSubject = look.meaningIn(subject);
  if (inSubject !== null && inSubject !== "unclear") return inSubject;
  // Words of a start do not count in the text, because the report of a finished run may say when the run started.
  const inText = look.meaningIn(text, false);
  if (inText !== "failure" && (inSubject === "unclear" || (inText === "success" && look.doubts(subject))))
    return "unclear";
  return inText ?? otherwise;
}

/** The rules that were read lately. Reading a rule takes longer than applying it. */
const known = boundedMap<KnownRule>(200);
type KnownRule = Pick<MailRule, "place" | "otherwise"> & Readonly<{ look: ReturnType<typeof lookFor> }>;

function lookingBy(rule: string): KnownRule {
  const found = known.get(rule);
  if (found !== undefined) return found;
  const { words, ...rest } = readRule(rule)!;
  const made = { ...rest, look: lookFor(words) };
  known.set(rule, made);
  return made;
}

function lookFor(words: RuleWords) {
  const ignored = patternOf(words.ignore);
  const [failure, start, success] = [patternOf(words.failure), patternOf(words.start), patternOf(words.success)];
  const unclear = patternOf(words.unclear);
  const doubts = (text: string): boolean => isDoubted(text, unclear, success);
  return {
    doubts,
    ignores: (text: string): boolean => isSaid(text, ignored),
    withoutIgnored: (text: string): string => (ignored === null ? text : text.replaceAll(ignored, "")),
    /**
     * What the text means by these words; `null` when it has none. A denied success (`not successful`) is a failure,
     * and a denied failure (`no errors`) a success.
     */
    meaningIn(text: string, mayStart = true): MailMeaning | null {
      const [failures, successes] = [failuresIn(text, failure), successesIn(text, success)];
      if (failures.says || successes.denies) return "failure";
      if (mayStart && isSaid(text, start)) return "start";
      if (!successes.says && !failures.denies) return null;
      return doubts(text) ? "unclear" : "success";
    },
  };
}
