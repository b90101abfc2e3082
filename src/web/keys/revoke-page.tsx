// Asks for confirmation before a key is revoked, and says what that means and for which jobs.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { Engine } from "../../engine/engine.ts";
import { canReport, revokedInWords, stopsAllReports } from "../../views/rows/key-rows.ts";
import type { MonitorSummary } from "../../views/schemas/monitor-schemas.ts";
import { confirmPage } from "../document.tsx";
import { Sentences } from "../parts/row-parts.tsx";
import { keyPath, revokePath } from "../paths.ts";
import type { Asking } from "../signed-in.ts";
import { liveKey } from "./keys-by-application.tsx";

export function revokePage(asking: Asking, id: number): Response | Refusal {
  const found = liveKey(asking, id);
  if (isRefusal(found)) return found;
  const { ring, key } = found;
  const others = ring.live.filter((one) => one.id !== id && canReport(one.scope)).length;
  // Old addresses are counted only up to the number that the page of keys shows.
  const revoked = { key, others, addresses: ring.addresses.length };
  const named = stopsAllReports(revoked) ? jobsOf(asking.engine, ring.slug) : [];
  return confirmPage(
    asking,
    `Revoke key ${id} of ${ring.slug}?`,
    { to: revokePath(id), does: `Revoke key ${id} for good`, back: keyPath(id), keeps: "Keep it" },
    <>
      <Sentences
        of={revokedInWords({ ...revoked, jobs: ring.monitors, named })}
        {...asking.engine.views.viewContext()}
      />
      <p>A revoked key never works again. You can make a new one at any time.</p>
    </>,
  );
}

const JOBS_NAMED = 20;

function jobsOf(engine: Engine, application: string): readonly MonitorSummary[] {
  const first = engine.as("host").ask("monitor list", { application }).next().value;
  return first === undefined || isRefusal(first) ? [] : first.monitors.slice(0, JOBS_NAMED);
}
