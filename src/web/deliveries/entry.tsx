// One delivery in a list: what it told of, to whom, and how that went.

import { counted } from "../../domain/wording/spoken-time.ts";
import { alertTitle } from "../../domain/wording/subject.ts";
import { whyItWaits } from "../../domain/wording/waits.ts";
import type { DeliverySummary } from "../../views/answers/deliveries.ts";
import { Act } from "../parts/act.tsx";
import { Ago, type Clocked, DateAndTime } from "../parts/moment.tsx";
import { type Health, Shape } from "../parts/shapes.tsx";
import { DELIVERIES_PATH, incidentPath } from "../paths.ts";
import { shownLine } from "../shown.ts";

interface EntryProps extends Clocked {
  readonly delivery: DeliverySummary;
  /** The page to come back to; null: the viewer may send nothing. */
  readonly back: string | null;
}

export const Entry = ({ delivery, now, timezone, back }: EntryProps) => {
  const { id, destination, recipient, application, monitorKey, incidentId, answer, state, acknowledgedAt } = delivery;
  return (
    <li class="entry" id={`delivery-${id}`}>
      <Shape health={STANDINGS[state]} />
      <div class="entry-what">
        <p>
          {incidentId === null ? (
            <span class="entry-name">{whatOf(delivery)}</span>
          ) : (
            <a class="entry-name" href={incidentPath(incidentId)}>
              {whatOf(delivery)}
            </a>
          )}{" "}
          {monitorKey === null ? null : (
            <span class="where">
              {shownLine(monitorKey)} · {application}
            </span>
          )}
        </p>
        <p class="note entry-line">
          to {recipient === null ? destination : `${recipient} (${destination})`} ·{" "}
          <State delivery={delivery} now={now} timezone={timezone} />
        </p>
        {answer === null || state === "sent" || acknowledgedAt !== null ? null : (
          <blockquote class="quote">{shownLine(answer)}</blockquote>
        )}
      </div>
      {back === null || state === "under_way" ? null : (
        <div class="acts">
          <Act to={`${DELIVERIES_PATH}/${id}/resend`} back={back}>
            {state === "waiting" ? "Try now" : "Send again"} <span class="unseen">delivery {id}</span>
          </Act>
        </div>
      )}
    </li>
  );
};

const STANDINGS: Readonly<Record<DeliverySummary["state"], Health>> = {
  waiting: "late",
  under_way: "running",
  sent: "healthy",
  given_up: "critical",
  not_sent: "healthy",
};

function whatOf({ type, kind }: DeliverySummary): string {
  if (type === "service.notice") return `Notice: ${(kind ?? "").replaceAll("_", " ")}`;
  if (type === "destination.test") return kind === "drill" ? "Drill" : "Test";
  return kind === null ? type : alertTitle(kind);
}

const State = ({ delivery, now, timezone }: Omit<EntryProps, "back">) => {
  const { state, nextAttemptAt, finishedAt, attempts, digestId, perhapsTaken, why, acknowledgedAt, answer } = delivery;
  const tries = attempts < 2 ? "" : ` after ${counted(attempts, "attempt")}`;
  switch (state) {
    case "waiting":
      if (nextAttemptAt === null)
        return <>{why === "paused" ? `waits${whyItWaits(why)}` : "waits for an earlier one"}</>;
      if (nextAttemptAt <= now) return <>{`waits for its turn${tries}`}</>;
      return (
        <>
          {attempts === 0 ? "waits until " : `${perhapsTaken ? "perhaps taken" : "waits"}${tries}, next try `}
          <DateAndTime at={nextAttemptAt} timezone={timezone} /> (
          <Ago at={nextAttemptAt} now={now} timezone={timezone} />){attempts === 0 ? whyItWaits(why) : ""}
        </>
      );
    case "under_way":
      return <>{perhapsTaken ? "sent, no answer yet" : "is being sent"}</>;
    case "not_sent":
      if (acknowledgedAt === null) return <>not sent</>;
      return (
        <>
          {`not sent: ${shownLine(answer ?? "")} at `}
          <DateAndTime at={acknowledgedAt} timezone={timezone} />
        </>
      );
    case "sent":
    case "given_up":
      return (
        <>
          {state === "sent" ? "arrived " : "given up "}
          {finishedAt === null ? null : (
            <>
              <DateAndTime at={finishedAt} timezone={timezone} /> (<Ago at={finishedAt} now={now} timezone={timezone} />
              )
            </>
          )}
          {tries}
          {digestId === null ? "" : `, in digest ${digestId}`}
        </>
      );
    default:
      return state satisfies never;
  }
};
