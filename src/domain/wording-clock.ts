// What a notice says when stored times lay in the future and were pulled back (R26): what became of what was watched, and
// what nobody was told meanwhile.

import type { NoticeMessage } from "./notice.ts";
import type { ClockDetails } from "./notice-details.ts";
import { counted, durationInWords, momentInWords } from "./spoken-time.ts";
import { SECOND } from "./time.ts";
import { momentOf } from "./wording-details.ts";
import type { NoticeWords } from "./wording-notice.ts";

/** The words of such a notice. */
export function clockWords({ at, data: { timezone } }: NoticeMessage, details: ClockDetails): NoticeWords {
  const ahead = durationInWords(details.aheadSeconds * SECOND);
  const since = momentOf(details.since, timezone);
  const now = momentInWords(at, timezone);
  return {
    subject: `rollcall's clock was ${ahead} ahead: missing reports went unnoticed`,
    story: [
      `The clock of rollcall's computer had been ${ahead} ahead; by ${since} it had been set back. From then on the times that rollcall had stored lay in the future, and no missing report could be noticed.`,
      `At ${now} those times were set right, for ${counted(details.monitorsTotal, "job")}. The next report is expected at the first scheduled time after that, runs under way have their full time again, and open incidents stay open.`,
    ],
    items: [],
    advice: [
      "If it matters, check whether jobs that were due in between ran: nobody will tell you of those that did not.",
      `Check that the clock is right now, and that something keeps it right. Times in earlier messages may be up to ${ahead} ahead.`,
    ],
    facts: [],
  };
}
