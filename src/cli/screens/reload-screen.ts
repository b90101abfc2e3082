// `rollcall reload`: waits until the configuration that was read is in force, and says what has changed.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import { after } from "../clock.ts";
import { DONE, type Io, MISUSED, REFUSED, say } from "../io.ts";
import type { Presenter } from "./presenter.ts";

type Reload = WrittenAnswer<"reload">;
type Changed = Reload["changed"][number];

/** Milliseconds between two looks. */
const LOOK_EVERY = 50;
/** How it goes is said after a second, and every ten seconds from then on. */
const LOOKS_UNTIL_SAID = 20;
const LOOKS_UNTIL_SAID_AGAIN = 200;

/** Exit code 0 once it is in force for every monitor, 2 when the configuration is faulty. */
export const reload: Presenter<"reload"> = {
  kind: "dialogue",
  hold: async ({ answer, io, ask, asJson }) => {
    let now: Reload = answer;
    for (let look = 1; now.state === "waiting" || now.state === "applying"; look++) {
      if (look === LOOKS_UNTIL_SAID || look % LOOKS_UNTIL_SAID_AGAIN === 0)
        say(io, now.state === "waiting" ? "waiting for another reload" : "putting it in force for every monitor");
      await new Promise<void>((resolve) => after(LOOK_EVERY, resolve));
      const asked = await ask("reload show", { id: answer.id });
      if ("exitCode" in asked) return { ...asked, ended: null };
      now = asked.answer;
    }
    if (!asJson) tell(now, io);
    return { exitCode: { done: DONE, refused: MISUSED, failed: REFUSED }[now.state], ended: now };
  },
};

function tell({ state, changed, restart, faults, warnings }: Reload, io: Io): void {
  if (state === "refused") {
    for (const fault of faults) io.err(fault);
    say(io, `${counted(faults.length, "fault")}: nothing was changed, rollcall goes on with what is in force`);
    return;
  }
  for (const warning of warnings) io.err(`warning: ${warning}`);
  if (state === "failed") say(io, "storage did not take it, see the log; run it again");
  const isSame = changed.length === 0 && restart.length === 0;
  if (isSame && state === "done") io.out("nothing has changed");
  for (const change of changed) io.out(lineOf(change));
  if (restart.length > 0) say(io, `${counted(restart.length, "setting")} will come into force with a restart:`);
  for (const change of restart) io.out(`${lineOf(change)}, needs a restart`);
}

/** `limits.v1_per_minute: 60 -> 120 (rollcall.toml:12)`. */
function lineOf({ key, before, after: now, secret, from }: Changed): string {
  const value = (text: string | null): string => (text === null ? "left out" : text === "" ? "none" : text);
  const change = secret
    ? "another secret"
    : before === now
      ? "the file holds something else"
      : `${value(before)} -> ${value(now)}`;
  return `${key}: ${change} (${from ?? "default"})`;
}
