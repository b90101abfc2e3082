// Makes the sentence at the top of the overview: whether all is well, or what needs attention. It decides words and
// tone, and knows no HTML.

import { counted, grouped } from "../../domain/wording/spoken-time.ts";
import type { AttendedIncident } from "../../views/schemas/incident-schemas.ts";
import { pageLine } from "../shown.ts";
import type { Viewer } from "../viewer.ts";
import type { Headline, OverviewQuery } from "./model.ts";

const YOU = "you";

/**
 * How many people the sentence names at most. When more people have acknowledged jobs, only the number of these jobs is
 * told.
 */
const TAKERS_NAMED = 3;

interface Taker {
  /**
   * `you` for the viewer, or the name of another person; `null` when a command acknowledged the incident and named no
   * person.
   */
  readonly who: string | null;
  readonly count: number;
}

/** Counts how many of these incidents each person has acknowledged, the viewer first. */
export function acknowledgersOf(incidents: readonly AttendedIncident[], viewer: Pick<Viewer, "name">): Taker[] {
  const byPerson = Map.groupBy(incidents, ({ acknowledgedBy }) => acknowledgedBy);
  const takers = [...byPerson].map(([name, theirs]) => ({
    who: name === null ? null : name === viewer.name ? YOU : pageLine(name),
    count: theirs.length,
  }));
  return takers.sort((a, b) => Number(b.who === YOU) - Number(a.who === YOU));
}

/** Says who has acknowledged how many jobs. `jobs` is the number of jobs that are listed as acknowledged. */
function takenInWords({ open, viewer }: Pick<Judged, "open" | "viewer">, jobs: number): string {
  const takers = acknowledgersOf(
    open.filter(({ attention }) => attention === "taken"),
    viewer,
  );
  const isTold = takers.length <= TAKERS_NAMED && takers.reduce((sum, { count }) => sum + count, 0) === jobs;
  if (!isTold || takers.some(({ who }) => who === null))
    return `${grouped(jobs)} ${jobs === 1 ? "is" : "are"} taken on`;
  return takers.map(({ who, count }) => `${who} ${who === YOU ? "have" : "has"} ${grouped(count)}`).join(", ");
}

type Counts = Readonly<Record<OverviewQuery["show"] | "warned", number>>;

interface Judged {
  readonly counts: Counts;
  readonly open: readonly AttendedIncident[];
  readonly troubles: readonly string[];
  readonly viewer: Pick<Viewer, "name">;
}

export function overviewHeadlineOf(judged: Judged): Omit<Headline, "next" | "quietSince"> {
  const { counts, troubles } = judged;
  const said = { ...sayingOfJobs(judged), needs: counts.trouble, isOwn: troubles.length > 0 };
  if (!said.isOwn) return said;
  const title = said.tone === "bad" ? said.title : "rollcall needs attention";
  return { ...said, sentence: `rollcall itself needs attention. ${said.sentence}`, title, tone: "bad" };
}

function sayingOfJobs(judged: Judged): Pick<Headline, "sentence" | "title" | "tone"> {
  const { counts, open } = judged;
  const { all, trouble, taken, late, waiting, well, paused } = counts;
  const unnotified = open.filter(({ attention }) => attention === "unnotified").length;
  const of = `of ${counted(all, "job")}`;
  if (all === 0) return { sentence: "No job has reported yet.", title: "No jobs yet", tone: "quiet" };
  if (trouble > 0) {
    const need = trouble === 1 ? "needs" : "need";
    const who = all === trouble && all > 1 ? `All ${counted(all, "job")}` : `${grouped(trouble)} ${of}`;
    const silent = unnotified === trouble ? "" : ` of ${grouped(unnotified)}`;
    return {
      sentence: [
        `${who} ${need} attention${unnotified === 0 ? "" : `, and no one has been notified${silent}`}.`,
        ...(taken === 0 ? [] : [`${takenInWords(judged, taken).replace(/^you/, "You")}.`]),
      ].join(" "),
      title: `${grouped(trouble)} ${need} attention`,
      tone: "bad",
    };
  }
  if (taken > 0) {
    const sentence = `No job needs attention; ${takenInWords(judged, taken)}.`;
    return { sentence, title: `${grouped(taken)} taken on`, tone: "late" };
  }
  if (late > 0) {
    const overdue = late - counts.warned;
    const warned = `${counts.warned} ${counts.warned === 1 ? "has" : "have"} a warning`;
    const words = overdue === 0 ? "" : `${grouped(overdue)} ${of} ${overdue === 1 ? "is" : "are"} late`;
    const both = [words, counts.warned === 0 ? "" : words === "" ? warned.replace(" ", ` ${of} `) : warned];
    return {
      sentence: `${both.filter((one) => one !== "").join(", ")}; none needs attention yet.`,
      title: overdue > 0 ? `${overdue} late` : warned,
      tone: "late",
    };
  }
  if (paused === all)
    return {
      sentence: all === 1 ? "The only job is paused." : `All ${counted(all, "job")} are paused.`,
      title: "Paused",
      tone: "quiet",
    };
  if (waiting > 0)
    return {
      sentence:
        well === 0
          ? `${counted(waiting, "job")} ${waiting === 1 ? "waits" : "wait"} for the first report.`
          : `${grouped(well)} ${of} answered; ${grouped(waiting)} ${waiting === 1 ? "waits" : "wait"} for the first report.`,
      title: "All well",
      tone: well === 0 ? "quiet" : "well",
    };
  return {
    sentence:
      all === 1
        ? "The only job answered."
        : paused > 0
          ? `All ${grouped(well)} watched jobs answered.`
          : `All ${counted(all, "job")} answered.`,
    title: "All well",
    tone: "well",
  };
}
