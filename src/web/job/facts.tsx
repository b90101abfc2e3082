// Shows which values are in force for a job, and where each value comes from.

import { nextSlot } from "../../domain/schedule/slots.ts";
import type { Instant } from "../../domain/time.ts";
import { scheduleInWords } from "../../domain/wording/schedule-words.ts";
import { intervalInWords } from "../../domain/wording/spoken-time.ts";
import { monitorFacts } from "../../views/rows/monitor-facts.ts";
import type { ShownMonitor } from "../../views/schemas/shown-monitor-schemas.ts";
import { type Clocked, Exactly, OnItsClock, Until, ViewersDateAndTime } from "../parts/moment.tsx";
import { FactRows } from "../parts/row-parts.tsx";

export const Facts = ({ monitor, now }: { monitor: ShownMonitor; now: Instant }) => (
  <section id="job-facts" class="panel">
    <h2>Facts</h2>
    <FactRows facts={monitorFacts(monitor, now)} now={now} timezone={monitor.timezone} />
  </section>
);

// Tells a job's schedule in words, with the next five slots.

const SLOTS_SHOWN = 5;

export const NextSlots = ({ monitor, now }: { monitor: ShownMonitor; now: Instant }) => (
  <section id="job-slots" class="panel">
    <h2>Schedule</h2>
    <Slots {...monitor} now={now} />
  </section>
);

type SlotsProps = Clocked &
  Pick<ShownMonitor, "schedule" | "everySeconds"> &
  Partial<Pick<ShownMonitor, "lateSince" | "nextAt">>;

function Slots({ schedule, everySeconds, timezone, lateSince = null, nextAt = null, now }: SlotsProps) {
  if (everySeconds !== null) {
    const dueBy = lateSince ?? nextAt;
    return (
      <>
        <p>at least {intervalInWords(everySeconds)}, counted from its last end</p>
        {dueBy === null ? null : (
          <p>
            due by <Exactly at={dueBy} timezone={timezone} /> <Until at={dueBy} now={now} timezone={timezone} />
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
        {scheduleInWords(schedule) ?? "as the expression says"} <code>{schedule}</code>{" "}
        <span class="where">{timezone}</span>
      </p>
      <ol class="slots">
        {slotsFrom(schedule, timezone, Math.max(now, (nextAt ?? now) - 1)).map((slot) => (
          <li key={slot}>
            <ViewersDateAndTime at={slot} timezone={timezone} /> <Until at={slot} now={now} timezone={timezone} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The next slots of a schedule in one line, which a form shows beside the schedule's field. */
export const SlotsInLine = ({ schedule, everySeconds, timezone, now }: SlotsProps) =>
  everySeconds !== null ? (
    <>at least {intervalInWords(everySeconds)}, counted from its last end</>
  ) : schedule === null ? (
    <>no times: whenever it reports is right</>
  ) : (
    <>
      {scheduleInWords(schedule) ?? "as the expression says"} · <span class="where">{timezone}</span>
      <br />
      next:{" "}
      {slotsFrom(schedule, timezone, now).map((slot, place) => (
        <>
          {place === 0 ? "" : ", "}
          <OnItsClock at={slot} now={now} timezone={timezone} />
        </>
      ))}
    </>
  );

function slotsFrom(schedule: string, timezone: string, now: Instant): Instant[] {
  const slots: Instant[] = [];
  for (let slot = nextSlot(schedule, timezone, now); slot !== null && slots.length < SLOTS_SHOWN; ) {
    slots.push(slot);
    slot = nextSlot(schedule, timezone, slot);
  }
  return slots;
}
