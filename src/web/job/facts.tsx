// What is in force for a job, and where each value comes from.

import { expectedInWords } from "../../domain/monitor/outcomes.ts";
import { nextSlot } from "../../domain/schedule/slots.ts";
import { DECLARED_FIELDS, type DeclaredField, settingInWords } from "../../domain/settings/settings.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import { MAINTENANCE_TOLD, maintenanceInWords } from "../../domain/wording/paused.ts";
import { inWords } from "../../domain/wording/schedule.ts";
import { span } from "../../domain/wording/short-time.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { intervalInWords } from "../../domain/wording/spoken-time.ts";
import { type ShownSetting, SOURCES, sourceInWords } from "../../views/answers/settings.ts";
import { RUN_LIMITS, type ShownMonitor } from "../../views/answers/shown-monitor.ts";
import { settingValueInWords } from "../../views/story.ts";
import { EVERY_JOB, overviewPath } from "../overview/model.ts";
import { type Clocked, Exactly, Until, Wall, When } from "../parts/moment.tsx";
import { MAINTENANCE_PATH } from "../paths.ts";
import { shownLine } from "../shown.ts";

export const Facts = ({ monitor, now }: { monitor: ShownMonitor; now: Instant }) => (
  <section id="job-facts" class="panel">
    <h2>Facts</h2>
    <dl class="facts">
      {DECLARED_FIELDS.filter((field) => field !== notInForce(monitor)).map((field) => {
        const setting: ShownSetting<string | number | null> = monitor.settings[field];
        return (
          <Fact
            key={field}
            name={settingInWords(field)}
            from={sourceInWords(setting, (value) => settingValueInWords(field, value))}
          >
            <Value field={field} value={setting.value} />
          </Fact>
        );
      })}
      {monitor.runLimit.from === "max_runtime" ? null : (
        <Fact name="run deadline" from={RUN_LIMITS[monitor.runLimit.from]}>
          {span(monitor.runLimit.seconds * SECOND)} after its start
        </Fact>
      )}
      {monitor.settings.outcomes.map((expectation) => (
        <Fact key={expectation.name} name="outcome" from={SOURCES.configuration}>
          {expectation.name}: {expectedInWords(expectation)}
        </Fact>
      ))}
      {monitor.maintenance.slice(0, MAINTENANCE_TOLD).map((one) => (
        <Fact
          key={one.id}
          name="maintenance"
          from={one.id === null ? SOURCES.configuration : shownLine(`planned${byPerson(one.plannedBy)}: ${one.reason}`)}
        >
          {maintenanceInWords(one, monitor.timezone)}
          {one.next === null ? null : one.state === "now" ? (
            `; now${monitor.status === "paused" ? "" : ", resumed in it"}`
          ) : (
            <>
              {"; "}
              <When at={one.next.from} now={now} timezone={monitor.timezone} />
            </>
          )}
        </Fact>
      ))}
      {monitor.maintenance.length <= MAINTENANCE_TOLD ? null : (
        <Fact name="maintenance" from="">
          <a href={MAINTENANCE_PATH}>and {monitor.maintenance.length - MAINTENANCE_TOLD} more</a>
        </Fact>
      )}
      <Fact name="alerts go to" from={monitor.routing.unreachable ?? ""}>
        {monitor.routing.destinations.join(", ") || "nobody"}
      </Fact>
      <Presentation {...monitor.routing} />
      <Sender {...monitor} />
      {monitor.zoneHint === null ? null : (
        <Fact name="time zone" from="">
          {monitor.zoneHint}
        </Fact>
      )}
      {monitor.oldAddresses.map((address) => (
        <Fact
          key={address}
          name="old address"
          from={monitor.sender?.oldAddress === address ? "last reported there" : ""}
        >
          {address}
        </Fact>
      ))}
      <Fact name="created" from="">
        <Exactly at={monitor.createdAt} timezone={monitor.timezone} />
      </Fact>
    </dl>
  </section>
);

/** What messages say of it. */
const Presentation = ({ owner, environment, links }: ShownMonitor["routing"]) => (
  <>
    {Object.entries({ owner, environment }).map(([name, value]) =>
      value === null ? null : (
        <Fact key={name} name={name} from="">
          {shownLine(value)}
        </Fact>
      ),
    )}
    {Object.entries(links).map(([name, url]) => (
      <Fact key={name} name={name} from="">
        <a href={url} rel="noreferrer">
          {shownLine(url)}
        </a>
      </Fact>
    ))}
  </>
);

/** From where it was reported last, by what and with which key. */
const Sender = ({ sender, timezone }: Pick<ShownMonitor, "sender" | "timezone">) =>
  sender === null ? null : (
    <Fact name="reported from" from={sender.agent === null ? "" : shownLine(sender.agent)}>
      {`${sender.address}, ${sender.oldAddress === null ? "with key" : "at address"} ${sender.keyId}, since `}
      <Exactly at={sender.since} timezone={timezone} />
    </Fact>
  );

/** Of a schedule and an interval a monitor has one (R44); one with neither has no schedule. */
const notInForce = ({ everySeconds }: ShownMonitor): DeclaredField =>
  everySeconds === null ? "everySeconds" : "schedule";

const Fact = ({ name, from, children }: { name: string; from: string; children?: unknown }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {children} {from === "" ? null : <small>{from}</small>}
    </dd>
  </div>
);

const Value = ({ field, value }: { field: DeclaredField; value: string | number | null }) => {
  if (field === "labels" && typeof value === "string")
    return (
      <>
        {value.split(" ").flatMap((label) => [
          " ",
          <a key={label} href={overviewPath({ ...EVERY_JOB, find: `label:${label}` })}>
            {label}
          </a>,
        ])}
      </>
    );
  const shown = settingValueInWords(field, value);
  return field === "note" ? <Linked text={shown} /> : shown;
};

/** With each address in it as a link. */
export const Linked = ({ text }: { text: string }) => (
  <>
    {text.split(/(https?:\/\/[^\s<>"]+)/).map((part, place) =>
      place % 2 === 0 ? (
        part
      ) : (
        <a key={part} href={part} rel="noreferrer">
          {part}
        </a>
      ),
    )}
  </>
);

// The schedule in words, and when it expects the next five runs.

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

export function Slots({ schedule, everySeconds, timezone, lateSince = null, nextAt = null, now }: SlotsProps) {
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
        {inWords(schedule) ?? "as the expression says"} <code>{schedule}</code> <span class="where">{timezone}</span>
      </p>
      <ol class="slots">
        {slotsFrom(schedule, timezone, Math.max(now, (nextAt ?? now) - 1)).map((slot) => (
          <li key={slot}>
            <Wall at={slot} timezone={timezone} /> <Until at={slot} now={now} timezone={timezone} />
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

/** `2 of its last 30 reports came later than 5 min, the latest by …`: what a limit would have done. */
export const Over = ({ what, of, seconds }: { what: string; of: readonly number[]; seconds: number }) =>
  of.length === 0 ? null : (
    <p>
      {`${of.filter((one) => one > seconds * SECOND).length || "None"} of its last ${of.length} ${what} than `}
      {`${span(seconds * SECOND)}; the most was ${span(Math.max(...of))}.`}
    </p>
  );
