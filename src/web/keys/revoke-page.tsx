// Asks before a key is revoked, and says what that means and for which jobs.

import { counted } from "../../domain/wording/spoken-time.ts";
import { Document } from "../document.tsx";
import { Confirm } from "../parts/act.tsx";
import { Ago } from "../parts/moment.tsx";
import { jobPath, keyPath, revokePath } from "../paths.ts";
import { shownName } from "../shown.ts";
import type { PageSeen } from "../viewer.ts";
import { countedAddresses } from "./old-addresses.tsx";
import type { Revoking } from "./revoking.ts";
import { scopeInWords } from "./used.tsx";

interface RevokeProps extends PageSeen {
  readonly revoking: Revoking;
}

export const RevokePage = ({ revoking, viewer, look, now, timezone }: RevokeProps) => {
  const { key, jobs, named } = revoking;
  const { id, application, scope, createdAt, lastUsedAt } = key;
  return (
    <Document title={`Revoke key ${id}`} tone="quiet" viewer={viewer} look={look} path="">
      <section class="plain">
        <h1 class="headline is-quiet">
          Revoke key {id} of {application}?
        </h1>
        <p>
          It is for {scopeInWords(scope)}, was made <Ago at={createdAt} now={now} timezone={timezone} />
          {lastUsedAt === null ? (
            ". rollcall has seen no use of it."
          ) : (
            <>
              {" and was last used "}
              <Ago at={lastUsedAt} now={now} timezone={timezone} />.
            </>
          )}
        </p>
        {meaning(revoking).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <NamedJobs jobs={jobs} named={named} label={`Jobs of ${application}`} />
        <p>A revoked key never works again. You can make a new one at any time.</p>
        <Confirm to={revokePath(id)} does={`Revoke key ${id} for good`} back={keyPath(id)} keeps="Keep it" />
      </section>
    </Document>
  );
};

interface NamedJobsProps extends Pick<Revoking, "jobs" | "named"> {
  readonly label: string;
}

/** The first of them by name, and how many more there are. */
export const NamedJobs = ({ jobs, named, label }: NamedJobsProps) =>
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
