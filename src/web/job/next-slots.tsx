// The schedule in words, and when it expects the next five runs.

import { nextSlot } from "../../domain/schedule/slots.ts";
import type { Instant } from "../../domain/time.ts";
import { inWords } from "../../domain/wording/schedule.ts";
import { intervalInWords } from "../../domain/wording/spoken-time.ts";
import type { ShownMonitor } from "../../engine/operations/answers/shown-monitor.ts";
import { Exactly, Until } from "../parts/moment.tsx";

const SLOTS_SHOWN = 5;

export const NextSlots = ({ monitor, now }: { monitor: ShownMonitor; now: Instant }) => (
  <section id="job-slots" class="panel">
    <h2>Schedule</h2>
    <Slots monitor={monitor} now={now} />
  </section>
);

function Slots({ monitor, now }: { monitor: ShownMonitor; now: Instant }) {
  const { schedule, everySeconds, timezone, expectedAt } = monitor;
  if (everySeconds !== null) {
    return (
      <>
        <p>at least {intervalInWords(everySeconds)}, counted from its last end</p>
        {expectedAt === null ? null : (
          <p>
            due by <Exactly at={expectedAt} timezone={timezone} />{" "}
            <Until at={expectedAt} now={now} timezone={timezone} />
          </p>
        )}
      </>
    );
  }
  return schedule === null ? (
    <p>It has none: whenever it reports is right.</p>
  ) : (
    <>
      <p>
        {inWords(schedule) ?? "as the expression says"} <code>{schedule}</code> <span class="where">{timezone}</span>
      </p>
      <ol class="slots">
        {slotsFrom(schedule, timezone, now).map((slot) => (
          <li key={slot}>
            <Exactly at={slot} timezone={timezone} /> <Until at={slot} now={now} timezone={timezone} />
          </li>
        ))}
      </ol>
    </>
  );
}

function slotsFrom(schedule: string, timezone: string, now: Instant): Instant[] {
  const slots: Instant[] = [];
  for (let slot = nextSlot(schedule, timezone, now); slot !== null && slots.length < SLOTS_SHOWN; ) {
    slots.push(slot);
    slot = nextSlot(schedule, timezone, slot);
  }
  return slots;
}
