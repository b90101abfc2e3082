// The law of registries within the core: what declaring, withdrawing and naming a monitor again do to it. Other code
// decides which monitors a registry declares or withdraws. Throws where it does not hold.

import { transition } from "../../../src/domain/monitor/transition.ts";
import { must } from "../timelines/facts.ts";
import type { Timeline } from "../timelines/timeline.ts";

/** The same again changes nothing, the last declaration wins, and a pause of another kind outlives coming and going. */
export function registries({ moments, watch }: Timeline): void {
  for (const moment of moments) {
    const { gaps } = moment;
    const { monitor } = moment.after;
    const now = Math.max(moment.now, monitor.changedAt);
    const send = (to: typeof monitor, signal: Parameters<typeof transition>[1]) => transition(to, signal, now, gaps);

    const other = send(monitor, { kind: "declare", watch: { ...watch, graceSeconds: watch.graceSeconds + 60 } });
    // What has closed under a shorter grace is counted with the next signal (R23).
    const declared = send(send(other.monitor, { kind: "declare", watch }).monitor, { kind: "declare", watch });
    must(Bun.deepEquals(declared.monitor.watch, watch, true), "an earlier declaration stands", moment);
    const again = send(declared.monitor, { kind: "declare", watch });
    must(Bun.deepEquals(again.monitor, declared.monitor, true), "the same declaration changes something", moment);
    must(again.alerts.length === 0, "the same declaration is told", moment);

    const withdrawn = send(monitor, { kind: "withdraw" });
    const twice = send(withdrawn.monitor, { kind: "withdraw" });
    must(Bun.deepEquals(twice.monitor, withdrawn.monitor, true), "withdrawing again changes something", moment);
    must(withdrawn.monitor.incident === null || monitor.pauses.discovery, "an incident survives withdrawal", moment);
    must(withdrawn.monitor.runCount >= monitor.runCount, "withdrawal forgets runs", moment);
    const back = send(withdrawn.monitor, { kind: "resume", pause: "discovery" }).monitor;
    must(Bun.deepEquals(back.pauses, { ...monitor.pauses, discovery: false }, true), "another pause is lifted", moment);
  }
}
