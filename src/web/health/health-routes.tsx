// `/own-health`: how rollcall itself is. Whether it is ready is for programs to ask elsewhere (`/readyz`).

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import type { FoundGap } from "../../domain/monitor/gap.ts";
import { type Instant, SECOND } from "../../domain/time.ts";
import { sizeInWords } from "../../domain/wording/size.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { whatWas } from "../../domain/wording/unheard.ts";
import type { SelfPingHealth } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { BackupList } from "../../views/answers/status.ts";
import type { OwnHealth } from "../../views/measures.ts";
import { pageAnswer } from "../answer.tsx";
import { Document } from "../document.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Ago, type Clocked, Exactly, Until } from "../parts/moment.tsx";
import { Shape } from "../parts/shapes.tsx";
import { shownLine } from "../shown.ts";
import { signedIn } from "../signed-in.ts";
import { asActor, mayAs, type PageSeen, type Viewer } from "../viewer.ts";

const backupsFor = (engine: Engine, viewer: Viewer): BackupList | null => {
  const listed = engine.as(asActor(viewer)).operate("backups", {});
  return isRefusal(listed) ? null : listed;
};

/** Why it was not told may name destinations. */
const withoutWhy = (health: SelfPingHealth | null): SelfPingHealth | null =>
  health && { ...health, last: health.last && { ...health.last, why: null } };

export function healthRoutes({ engine, clock, version, troubles, selfPing, ...parts }: PagesParts) {
  const startedAt = clock.now();
  return new Elysia({ name: "health" }).use(signedIn(parts)).get(HEALTH_PATH, ({ request, viewer }) => {
    const seesAll = viewer.applications === null;
    const { signedIn: people, ...health } = engine.views.health();
    const page = (
      <HealthPage
        {...health}
        {...engine.views.viewContext()}
        signedIn={seesAll && mayAs(viewer, "admin") ? people : null}
        troubles={troubles(seesAll ? "operator" : "anyone")}
        backups={seesAll && mayAs(viewer, "admin") ? backupsFor(engine, viewer) : null}
        selfPing={seesAll ? selfPing() : withoutWhy(selfPing())}
        version={version}
        startedAt={startedAt}
        viewer={viewer}
        look={lookOf(request)}
      />
    );
    return pageAnswer(request, page);
  });
}

// `/own-health`: what troubles rollcall itself, when it could not hear, and facts about this process and its database.

const HEALTH_PATH = "/own-health";

interface HealthProps extends PageSeen, Omit<OwnHealth, "signedIn"> {
  /** Null: not for this viewer. */
  readonly signedIn: OwnHealth["signedIn"] | null;
  readonly troubles: readonly string[];
  /** Null: not for this viewer. */
  readonly backups: BackupList | null;
  /** Null: no other monitor is told. Without `last.why` for who may not know names. */
  readonly selfPing: SelfPingHealth | null;
  readonly version: string;
  readonly startedAt: Instant;
}

const HealthPage = (props: HealthProps) => {
  const { troubles, backups, gaps, moreGaps, signedIn, viewer, look, now, timezone } = props;
  const isWell = troubles.length === 0;
  const title = isWell ? "rollcall is well" : `${counted(troubles.length, "trouble")} with rollcall itself`;
  return (
    <Document title={title} tone={isWell ? "well" : "bad"} viewer={viewer} look={look} path={HEALTH_PATH}>
      <div class="head">
        <h1 class={`headline is-${isWell ? "well" : "bad"}`}>{title}.</h1>
      </div>
      {troubles.map((trouble) => (
        <p key={trouble} class="trouble">
          <Shape health="warning" />
          <span>{sentence(trouble)}</span>
        </p>
      ))}
      <Facts {...props} />
      {backups === null ? null : <Backups {...backups} now={now} timezone={timezone} />}
      <section class="group" aria-labelledby="gaps">
        <h2 class="group-head" id="gaps">
          When rollcall could not hear
        </h2>
        {gaps.length === 0 ? (
          <p class="nothing">Not once in the last 90 days.</p>
        ) : (
          <>
            <p class="note lead-in">
              A report that a job sent then is lost, so what was due then may stay unknown. It raises no alarm.
            </p>
            <ul class="gaps">
              {gaps.map((gap) => (
                <GapRow key={gap.from} gap={gap} now={now} timezone={timezone} />
              ))}
            </ul>
            {moreGaps ? <p class="note lead-in">Older ones are not shown.</p> : null}
          </>
        )}
      </section>
      {signedIn === null ? null : <SignedIn signedIn={signedIn} now={now} timezone={timezone} />}
    </Document>
  );
};

/** The name of the product has no capital. */
const sentence = (trouble: string): string =>
  `${trouble.startsWith("rollcall") ? "r" : trouble.charAt(0).toUpperCase()}${trouble.slice(1)}.`;

const Facts = ({ version, startedAt, database, selfPing, now, timezone }: HealthProps) => (
  <dl class="measures">
    <div>
      <dt>Version</dt>
      <dd>{version}</dd>
    </div>
    <div>
      <dt>Started</dt>
      <dd>
        <Ago at={startedAt} now={now} timezone={timezone} />
      </dd>
    </div>
    <div>
      <dt>Database</dt>
      <dd>
        {sizeInWords(database.bytes)}
        {database.free === 0 ? "" : `, of which ${sizeInWords(database.free)} is free`}
      </dd>
    </div>
    <div>
      <dt>Runs on</dt>
      <dd>
        Bun {Bun.version}, SQLite {database.sqlite}
      </dd>
    </div>
    <div>
      <dt>Time zone</dt>
      <dd>{timezone}</dd>
    </div>
    <div>
      <dt>Another monitor</dt>
      <dd>
        <SelfPing selfPing={selfPing} now={now} timezone={timezone} />
      </dd>
    </div>
  </dl>
);

const SelfPing = ({ selfPing, now, timezone }: Pick<HealthProps, "selfPing" | "now" | "timezone">) => {
  if (selfPing === null) return <>is not told that rollcall is well (self.ping_url)</>;
  const { last, arrivedAt } = selfPing;
  const arrived = arrivedAt === null ? null : <Ago at={arrivedAt} now={now} timezone={timezone} />;
  if (last === null || last.outcome === "sent") return <>was told {arrived ?? "nothing yet"}</>;
  return (
    <>
      {last.outcome === "failed" ? "could not be told" : "is not told"}
      {last.why === null ? "" : `: ${shownLine(last.why)}`}
      {arrived === null ? "" : "; it last was "}
      {arrived}
    </>
  );
};

const GapRow = ({ gap, now, timezone }: { gap: FoundGap } & Clocked) => {
  const { from, silentTo, reason, silentMs, outages } = gap;
  return (
    <li class="gap">
      <span class="gap-what">{whatWas({ reason, seconds: Math.round(silentMs / SECOND), times: outages })}</span>
      <span class="gap-when">
        <Exactly at={from} timezone={timezone} />
      </span>
      <span class="gap-ago">
        over <Ago at={silentTo} now={now} timezone={timezone} />
      </span>
    </li>
  );
};

const SignedIn = ({ signedIn, now, timezone }: Pick<HealthProps, "now" | "timezone"> & Pick<OwnHealth, "signedIn">) => (
  <section class="group" aria-labelledby="signed-in">
    <h2 class="group-head" id="signed-in">
      Signed in
    </h2>
    {signedIn.length === 0 ? (
      <p class="nothing">Nobody has a session here.</p>
    ) : (
      <ul class="gaps">
        {signedIn.map(({ name, sessions, usedAt }) => (
          <li key={name} class="gap">
            <span class="gap-what">{name}</span>
            <span class="gap-when">{counted(sessions, "session")}</span>
            <span class="gap-ago">
              seen <Ago at={usedAt} now={now} timezone={timezone} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);

// How rollcall's backups are: the newest, when the next is due, and what went wrong.

interface BackupsProps extends Clocked, Omit<BackupList, "at"> {}

const Backups = ({ backups, directory, everySeconds, nextAt, lastFailure, now, timezone }: BackupsProps) => {
  const [newest] = backups;
  return (
    <section class="group" aria-labelledby="backups">
      <h2 class="group-head" id="backups">
        Backups
      </h2>
      {lastFailure === null ? null : (
        <p class="trouble">
          <Shape health="warning" />
          <span>
            The last one failed <Ago at={lastFailure.at} now={now} timezone={timezone} />:{" "}
            {shownLine(lastFailure.reason)}
          </span>
        </p>
      )}
      <p class="nothing">
        {newest === undefined ? (
          "There is none yet."
        ) : (
          <>
            {counted(backups.length, "backup")} in <code>{directory}</code>; the newest{" "}
            <Ago at={newest.at} now={now} timezone={timezone} />, {sizeInWords(newest.bytes)}.
          </>
        )}{" "}
        {everySeconds === 0 || nextAt === null ? (
          "None is made by itself (storage.backup_every)."
        ) : (
          <>
            The next is due <Until at={nextAt} now={now} timezone={timezone} />.
          </>
        )}
      </p>
    </section>
  );
};
