// Asks before a key is revoked, and says what that means and for which jobs.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Engine } from "../../engine/engine.ts";
import type { KeySummary } from "../../views/answers/applications.ts";
import type { MonitorSummary } from "../../views/answers/monitors.ts";
import { confirmPage } from "../document.tsx";
import { Ago } from "../parts/moment.tsx";
import { jobPath, keyPath, revokePath } from "../paths.ts";
import { shownName } from "../shown.ts";
import type { Asking } from "../signed-in.ts";
import { countedAddresses } from "./old-addresses.tsx";
import { canReport, liveKey, type Ring, scopeInWords } from "./rings.tsx";

export function revokePage(asking: Asking, id: number): Response | Refusal {
  const revoking = revokingOf(asking, id);
  if (isRefusal(revoking)) return revoking;
  const { key, jobs, named } = revoking;
  const { application, scope, createdAt, lastUsedAt } = key;
  const shown = asking.engine.views.viewContext();
  return confirmPage(
    asking,
    `Revoke key ${id} of ${application}?`,
    { to: revokePath(id), does: `Revoke key ${id} for good`, back: keyPath(id), keeps: "Keep it" },
    <>
      <p>
        It is for {scopeInWords(scope)}, was made <Ago at={createdAt} {...shown} />
        {lastUsedAt === null ? (
          ". rollcall has seen no use of it."
        ) : (
          <>
            {" and was last used "}
            <Ago at={lastUsedAt} {...shown} />.
          </>
        )}
      </p>
      {meaning(revoking).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <NamedJobs jobs={jobs} named={named} label={`Jobs of ${application}`} />
      <p>A revoked key never works again. You can make a new one at any time.</p>
    </>,
  );
}

export const NamedJobs = ({ jobs, named, label }: Pick<Revoking, "jobs" | "named"> & { label: string }) =>
  named.length === 0 ? null : (
    <ul class="named" aria-label={label}>
      {named.map((job) => (
        <li key={job.key}>
          <a href={jobPath(job)}>{shownName(job)}</a>
        </li>
      ))}
      {jobs > named.length ? <li>and {jobs - named.length} more</li> : null}
    </ul>
  );

function meaning({ key: { application, scope }, means, others, addresses, jobs }: Revoking): string[] {
  switch (means) {
    case "nothing_seen":
      return ["Nothing that works now should stop."];
    case "syncs_stop":
      return [
        `Schedulers that send the jobs of ${application} with it are refused from then on. rollcall no longer learns which jobs they add, change and remove. Reports go on.`,
      ];
    case "all_reports_stop":
      return [
        jobs === 0
          ? `It is the only key by which a job of ${application} can report. Until there is another, none can.`
          : `It is the only key by which jobs of ${application} can report. ${jobs === 1 ? "Its job stops" : `All ${jobs} stop`} reporting at once, and rollcall will raise an alarm when a report is due${scope === "all" ? "; bulk syncs stop too" : ""}.`,
      ];
    case "some_reports_may_stop":
      return [
        `Whatever still uses it is refused from then on. A job that does stops reporting, and rollcall will raise an alarm when its report is due.`,
        `${application} has ${counted(others, "other key")}${addresses === 0 ? "" : ` and ${countedAddresses(addresses)}`} for reports. ${jobs === 0 ? "No job reported with this one last, as far as rollcall has seen." : `With this one ${jobs === 1 ? "one job" : `${jobs} jobs`} reported last:`}`,
      ];
    default:
      return means satisfies never;
  }
}

// rollcall remembers with which key each job reported last, and claims no more.

const JOBS_NAMED = 20;

type Revoking = Readonly<Exclude<ReturnType<typeof revokingOf>, Refusal>>;

function revokingOf(asking: Asking, id: number) {
  const found = liveKey(asking, id);
  if (isRefusal(found)) return found;
  const { ring, key } = found;
  const others = ring.live.filter((one) => one.id !== id && canReport(one.scope)).length;
  /** At which jobs can report, at most as many as the page of keys shows. */
  const addresses = ring.addresses.length;
  const means = meaningOf(key, others + addresses);
  return { key, means, others, addresses, ...concerned(asking, ring, means, id) };
}

/** How many jobs: all of the application, or those that reported with it last; and the first of them. */
function concerned(asking: Asking, { slug, monitors }: Ring, means: Meaning, id: number) {
  switch (means) {
    case "nothing_seen":
    case "syncs_stop":
      return { jobs: monitors, named: [] };
    case "all_reports_stop":
      return { jobs: monitors, named: jobsOf(asking.engine, slug) };
    case "some_reports_may_stop":
      return usersOf(asking, slug, id);
    default:
      return means satisfies never;
  }
}

export function usersOf({ operate }: Asking, application: string, id: number) {
  const shown = operate("key show", { id });
  if (isRefusal(shown)) return { jobs: 0, named: [] };
  return { jobs: shown.monitors, named: shown.monitorKeys.map((key) => ({ application, key, name: key })) };
}

type Meaning = "nothing_seen" | "syncs_stop" | "all_reports_stop" | "some_reports_may_stop";

function meaningOf({ lastUsedAt, scope }: KeySummary, others: number): Meaning {
  if (lastUsedAt === null) return "nothing_seen";
  if (!canReport(scope)) return "syncs_stop";
  return others === 0 ? "all_reports_stop" : "some_reports_may_stop";
}

/** The first page alone is read. */
function jobsOf(engine: Engine, application: string): Pick<MonitorSummary, "application" | "key" | "name">[] {
  const first = engine.as("host").ask("monitor list", { application }).next().value;
  return first === undefined || isRefusal(first) ? [] : first.monitors.slice(0, JOBS_NAMED);
}
