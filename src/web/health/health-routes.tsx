// Serves `/own-health`, which tells people how rollcall itself is. (Programs ask `/readyz`.)

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import type { FoundGap } from "../../domain/monitor/gap.ts";
import { capitalized } from "../../domain/text.ts";
import type { Instant } from "../../domain/time.ts";
import { sizeInWords } from "../../domain/wording/size.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { ownOutageInWords } from "../../domain/wording/unheard.ts";
import type { SelfPingHealth } from "../../engine/api.ts";
import { doInPieces } from "../../http/yield.ts";
import type { OwnHealth } from "../../views/measures.ts";
import { alikeAdvice } from "../../views/rows/advice-rows.ts";
import { comingBackupsInWords, failedBackupInWords } from "../../views/rows/backup-rows.ts";
import { dated, type FactRow, fact, type RowPart } from "../../views/rows/rows.ts";
import { serviceFacts } from "../../views/rows/service-rows.ts";
import type { BackupList, GivenAdvice } from "../../views/schemas/status-schemas.ts";
import { pageResponse } from "../document.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Head, SectionGroup } from "../parts/headline.tsx";
import { Ago, type Clocked, Exactly } from "../parts/moment.tsx";
import { FactRows, RowParts } from "../parts/row-parts.tsx";
import { Shape } from "../parts/shapes.tsx";
import { jobPath } from "../paths.ts";
import { pageLine } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { type Viewer, viewerMayAs, viewerMaySee } from "../viewer.ts";
import { troublesFor } from "./troubles.ts";

const HEALTH_PATH = "/own-health";

export function healthRoutes(parts: PagesParts) {
  const startedAt = parts.clock.now();
  return new Elysia({ name: "health" })
    .use(signedIn(parts))
    .get(HEALTH_PATH, ({ asking }) => healthPage(asking, parts, startedAt));
}

async function healthPage(asking: Asking, parts: PagesParts, startedAt: Instant): Promise<Response> {
  const { engine, viewer, operate } = asking;
  const seesAll = viewer.applications === null;
  const isAdmin = seesAll && viewerMayAs(viewer, "admin");
  const health = engine.views.health();
  const { signedIn: people, gaps, moreGaps } = health;
  const shown = engine.views.viewContext();
  const backups = isAdmin ? operate("backups", {}) : null;
  const advised = isAdmin ? engine.views.advice() : null;
  const advice = advised === null || isRefusal(advised) ? null : await doInPieces(engine.scheduler, advised);
  const troubles = troublesFor({ ...parts.engine, troubles: parts.troubles }, viewer);
  const isWell = troubles.length === 0;
  const title = isWell ? "rollcall is well" : `${counted(troubles.length, "trouble")} with rollcall itself`;
  const tone = isWell ? "well" : "bad";
  return pageResponse(
    asking,
    { title, tone, path: HEALTH_PATH },
    <>
      <Head says={`${title}.`} tone={tone} />
      {troubles.map((trouble) => (
        <p key={trouble} class="trouble">
          <Shape health="warning" />
          <span>{troubleSentence(trouble)}</span>
        </p>
      ))}
      <FactRows
        facts={[
          ...(viewer.applications === null ? [] : [fact("you see", viewer.applications.join(", "))]),
          fact("version", parts.version),
          fact("started", dated(startedAt)),
          ...(seesAll ? machineFacts(health) : []),
          fact("time zone", shown.timezone),
          ...serviceFacts(seesAll ? health : onlyTheirs(health, viewer)),
          ...(seesAll ? [fact("another monitor", ...selfPingParts(parts.selfPing()))] : []),
        ]}
        {...shown}
      />
      {backups === null || isRefusal(backups) ? null : <Backups of={backups} {...shown} />}
      {advice === null ? null : <Advised {...advice} />}
      <SectionGroup id="gaps" name="When rollcall could not hear">
        {gaps.length === 0 ? (
          <p class="nothing">Not once in the last 90 days.</p>
        ) : (
          <>
            <p class="note lead-in">
              A report that a job sent then is lost, so what was due then may stay unknown. It raises no alarm.
            </p>
            <ul class="gaps">
              {gaps.map((gap) => (
                <GapRow key={gap.from} gap={gap} {...shown} />
              ))}
            </ul>
            {moreGaps ? <p class="note lead-in">Older ones are not shown.</p> : null}
          </>
        )}
      </SectionGroup>
      {isAdmin ? <SignedIn signedIn={people} {...shown} /> : null}
    </>,
  );
}

function machineFacts({ database: { bytes, free, sqlite } }: OwnHealth): FactRow[] {
  const unused = free === 0 ? "" : `, of which ${sizeInWords(free)} is free`;
  return [fact("database", `${sizeInWords(bytes)}${unused}`), fact("runs on", `Bun ${Bun.version}, SQLite ${sqlite}`)];
}

/**
 * The health as a viewer of only some applications may see it: without other applications that are suspended, and
 * without the networks from which jobs report over plain HTTP.
 */
const onlyTheirs = (health: OwnHealth, viewer: Viewer): OwnHealth => ({
  ...health,
  suspended: health.suspended.filter((slug) => viewerMaySee(viewer, slug)),
  plainHttp: [],
});

const troubleSentence = (trouble: string): string => `${capitalized(trouble)}.`;

function selfPingParts(selfPing: SelfPingHealth | null): RowPart[] {
  if (selfPing === null) return ["is not told that rollcall is well (self.ping_url)"];
  const { last, arrivedAt } = selfPing;
  const arrived: RowPart[] = arrivedAt === null ? [] : [{ at: arrivedAt, as: "ago" }];
  if (last === null || last.outcome === "sent")
    return ["was told ", ...(arrived.length === 0 ? ["nothing yet"] : arrived)];
  return [
    last.outcome === "failed" ? "could not be told" : "is not told",
    ...(last.why === null ? [] : [`: ${pageLine(last.why)}`]),
    ...(arrived.length === 0 ? [] : ["; it last was ", ...arrived]),
  ];
}

const GapRow = ({ gap, ...shown }: { gap: FoundGap } & Clocked) => {
  const { from, silentTo } = gap;
  return (
    <li class="gap">
      <span class="gap-what">{ownOutageInWords(gap)}</span>
      <span class="gap-when">
        <Exactly at={from} timezone={shown.timezone} />
      </span>
      <span class="gap-ago">
        over <Ago at={silentTo} {...shown} />
      </span>
    </li>
  );
};

const SignedIn = ({ signedIn, ...shown }: Clocked & Pick<OwnHealth, "signedIn">) => (
  <SectionGroup id="signed-in" name="Signed in">
    {signedIn.length === 0 ? (
      <p class="nothing">Nobody has a session here.</p>
    ) : (
      <ul class="gaps">
        {signedIn.map(({ name, sessions, usedAt }) => (
          <li key={name} class="gap">
            <span class="gap-what">{name}</span>
            <span class="gap-when">{counted(sessions, "session")}</span>
            <span class="gap-ago">
              seen <Ago at={usedAt} {...shown} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </SectionGroup>
);

const AdvisedJob = ({ of: { application, key } }: { of: GivenAdvice["advice"][number] }) =>
  application === null || key === null ? null : (
    <>
      <a href={jobPath({ application, key })}>{pageLine(key)}</a>:{" "}
    </>
  );

const Advised = ({ advice, more }: GivenAdvice) => (
  <SectionGroup id="advice" name="What could be set better">
    {advice.length === 0 ? <p class="nothing">Nothing, by what happened in the last 30 days.</p> : null}
    {alikeAdvice(advice).map(({ says, of, pieces }) => (
      <div key={says} class="lead-in">
        {of === null ? <AdvisedJob of={pieces[0]!} /> : `${of}: `}
        {pageLine(says)}.
        {pieces.map((piece, place) => (
          <p key={place} class="note">
            {of === null ? null : <AdvisedJob of={piece} />}
            {piece.command === null ? null : <code>{pageLine(piece.command)}</code>}
          </p>
        ))}
      </div>
    ))}
    {more === 0 ? null : <p class="note">{`And ${more} more.`}</p>}
  </SectionGroup>
);

const Backups = ({ of, ...shown }: Clocked & { of: BackupList }) => {
  const { backups, directory } = of;
  const [newest] = backups;
  const failed = failedBackupInWords(of);
  return (
    <SectionGroup id="backups" name="Backups">
      {failed === null ? null : (
        <p class="trouble">
          <Shape health="warning" />
          <span>
            <Line parts={failed} {...shown} />
          </span>
        </p>
      )}
      <p class="nothing">
        {newest === undefined ? (
          "There is no backup yet."
        ) : (
          <>
            {counted(backups.length, "backup")} in <code>{directory}</code>; the newest{" "}
            <Ago at={newest.at} {...shown} />, {sizeInWords(newest.bytes)}.
          </>
        )}
      </p>
      {comingBackupsInWords(of).map((parts, place) => (
        <p key={place} class="nothing">
          <Line parts={parts} {...shown} />.
        </p>
      ))}
    </SectionGroup>
  );
};

const Line = ({ parts: [first, ...others], ...shown }: Clocked & { parts: readonly RowPart[] }) => (
  <RowParts parts={[typeof first === "string" ? capitalized(first) : (first ?? ""), ...others]} {...shown} />
);
