// A command for several monitors at once: those that a pattern or --all names, one after the other. A person at a
// terminal sees how many they are, and is asked.

import { isImportedPause } from "../../domain/imported-pause.ts";
import { matcherOf } from "../../domain/pattern.ts";
import { visible } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import { agrees } from "../command-shell.ts";
import { MISUSED, REFUSED } from "../io.ts";
import { say } from "../screens/table.ts";
import { askService, type SocketCaller } from "./ask-service.ts";

type Listed = WrittenAnswer<"monitor list">["monitors"][number];

/** What was typed of which monitors are meant. */
export interface Meant {
  readonly key: string | undefined;
  readonly application: string | undefined;
  readonly all: boolean;
  readonly yes: boolean;
}

/** One, several, or none and the exit code. */
export type Chosen =
  | { readonly kind: "one" }
  | { readonly kind: "several"; readonly monitors: readonly Pick<Listed, "application" | "key">[] }
  | { readonly kind: "none"; readonly exitCode: number };

const NAMED = 8;

/** `verb`: what is to be done, such as `pause`. */
export async function choose(caller: SocketCaller, verb: "pause" | "resume", meant: Meant): Promise<Chosen> {
  const { key, application, all, yes } = meant;
  const { io } = caller;
  if (all ? key !== undefined : key === undefined) {
    say(io, "error: name a monitor, a pattern such as 'backup-*', or --all");
    return { kind: "none", exitCode: MISUSED };
  }
  if (key !== undefined && !key.includes("*")) return { kind: "one" };
  const listed = await askService(caller, "monitor list", application === undefined ? {} : { application });
  if ("exitCode" in listed) return { kind: "none", exitCode: listed.exitCode };
  const matches = all ? () => true : matcherOf(key ?? "");
  const meantOnes = listed.answer.monitors.filter(({ key }) => matches(key));
  const open = meantOnes.filter((monitor) => wants(verb, monitor));
  const asleep = verb === "resume" ? open.filter(isAsleep) : [];
  const monitors = open.filter((monitor) => !asleep.includes(monitor));
  const namesOf = (some: readonly Listed[]): string => {
    const names = some.slice(0, NAMED).map((monitor) => nameOf(monitor, listed.screen.onlyApplication));
    return `${names.join(", ")}${some.length > NAMED ? ` and ${some.length - NAMED} more` : ""}`;
  };
  if (asleep.length > 0) {
    const isOne = asleep.length === 1;
    say(
      io,
      `${counted(asleep.length, "monitor")} will stay paused, because ${isOne ? "its" : "their"} old service had paused ${isOne ? "it" : "them"}: ${namesOf(asleep)}; \`rollcall monitor resume KEY\` resumes one by its name`,
    );
    if (monitors.length === 0) return { kind: "none", exitCode: REFUSED };
  }
  if (monitors.length === 0) {
    say(io, whyNone(verb, meantOnes.length));
    return { kind: "none", exitCode: REFUSED };
  }
  const question = `${verb === "pause" ? "Pause" : "Resume"} ${counted(monitors.length, "monitor")}: ${namesOf(monitors)}?`;
  if (!yes && !(await agrees(io, question))) return { kind: "none", exitCode: REFUSED };
  return { kind: "several", monitors: monitors.map(({ application, key }) => ({ application, key })) };
}

/** Others are so already, or are resumed by something else. */
const wants = (verb: "pause" | "resume", { pauses: { manual } }: Listed): boolean =>
  verb === "pause" ? manual === null : manual !== null;

/** A job that its old service did not watch would alarm at once: its name alone resumes it. */
const isAsleep = ({ pauses: { manual } }: Listed): boolean => isImportedPause(manual?.asked?.reason ?? null);

function whyNone(verb: "pause" | "resume", count: number): string {
  if (count === 0) return "there is no such monitor; `rollcall monitor list` shows all";
  if (verb === "resume")
    return `${count === 1 ? "this monitor has no" : `none of these ${count} monitors has a`} pause by hand`;
  return `${count === 1 ? "this monitor has" : `all these ${count} monitors have`} a pause by hand already`;
}

const nameOf = ({ application, key }: Listed, onlyApplication: boolean): string =>
  visible(onlyApplication ? key : `${application}/${key}`);
