// The sentence on top of the overview: whether people may go back to bed. Words and their tone; knows no page.

import { counted, grouped } from "../../domain/wording/spoken-time.ts";
import type { AttendedIncident } from "../../views/answers/incidents.ts";
import { shownLine } from "../shown.ts";
import type { Headline, OverviewQuery } from "./model.ts";

/** `words`: who has them: `Ben has 2`. */
function takenInWords(open: readonly AttendedIncident[], jobs: number): string {
  const taken = open.filter(({ attention }) => attention === "taken");
  const people = [...new Set(taken.map(({ acknowledgedBy }) => acknowledgedBy))];
  const [person] = people;
  return people.length === 1 && person != null
    ? `${shownLine(person)} has ${grouped(jobs)}`
    : `${grouped(jobs)} ${jobs === 1 ? "is" : "are"} taken on`;
}

type Counts = Readonly<Record<OverviewQuery["show"] | "warned", number>>;

type Judged = Readonly<{ counts: Counts; open: readonly AttendedIncident[]; troubles: readonly string[] }>;

export function saying({ counts, open, troubles }: Judged): Omit<Headline, "next" | "quietSince"> {
  const said = { ...sayingOfJobs(counts, open), needs: counts.trouble, isOwn: troubles.length > 0 };
  if (!said.isOwn) return said;
  const title = said.tone === "bad" ? said.title : "rollcall needs attention";
  return { ...said, sentence: `rollcall itself needs attention. ${said.sentence}`, title, tone: "bad" };
}

function sayingOfJobs(
  counts: Counts,
  open: readonly AttendedIncident[],
): Pick<Headline, "sentence" | "title" | "tone"> {
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
        ...(taken === 0 ? [] : [`${takenInWords(open, taken)}.`]),
      ].join(" "),
      title: `${grouped(trouble)} ${need} attention`,
      tone: "bad",
    };
  }
  if (taken > 0) {
    const sentence = `No job needs attention; ${takenInWords(open, taken)}.`;
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
