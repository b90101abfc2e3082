// Draws one delivery in the list: which message it is, to whom it goes, and its state.

import { addressInWords } from "../../domain/wording/job-names.ts";
import { deliveryState, deliveryTitle } from "../../views/rows/delivery-rows.ts";
import type { DeliverySummary } from "../../views/schemas/delivery-schemas.ts";
import { Act } from "../parts/act.tsx";
import type { Clocked } from "../parts/moment.tsx";
import { RowParts } from "../parts/row-parts.tsx";
import { type Health, Shape } from "../parts/shapes.tsx";
import { DELIVERIES_PATH, incidentPath } from "../paths.ts";
import { nameOnPage, pageLine } from "../shown.ts";

interface EntryProps extends Clocked {
  readonly delivery: DeliverySummary;
  /**
   * The address of the page that is shown again after the delivery was sent; `null` when the viewer may send nothing.
   */
  readonly back: string | null;
}

export const DeliveryEntry = ({ delivery, now, timezone, back }: EntryProps) => {
  const { id, application, monitorKey, monitorName, incidentId, answer, state, acknowledgedAt } = delivery;
  return (
    <li class="entry" id={`delivery-${id}`}>
      <Shape health={STANDINGS[state]} />
      <div class="entry-what">
        <p>
          {incidentId === null ? (
            <span class="entry-name">{deliveryTitle(delivery)}</span>
          ) : (
            <a class="entry-name" href={incidentPath(incidentId)}>
              {deliveryTitle(delivery)}
            </a>
          )}{" "}
          {monitorKey === null ? null : (
            <span class="where">
              {nameOnPage({ name: monitorName ?? "", key: monitorKey })} · {application}
            </span>
          )}
        </p>
        <p class="note entry-line">
          to {addressInWords(delivery)} ·{" "}
          <RowParts parts={deliveryState(delivery, now, "ago")} now={now} timezone={timezone} />
        </p>
        {answer === null || state === "sent" || acknowledgedAt !== null ? null : (
          <blockquote class="quote">{pageLine(answer)}</blockquote>
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
