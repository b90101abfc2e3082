// Puts a notice into words: something about rollcall itself, and what that means for the jobs that it watches. A notice
// is neither good nor bad news of a job, so it must not read like an alert.

import { SCHEDULE_LENGTH } from "../limits.ts";
import type {
  BackupDetails,
  ClockDetails,
  DrillDetails,
  FailingDetails,
  HeldMessages,
  ListedReported,
  NoticeDetails,
  NoticeMessage,
  ReportDetails,
  UndeliveredDetails,
  UnusualDetails,
} from "../message/notice.ts";
import { cleanLine } from "../text.ts";
import { SECOND } from "../time.ts";
import { commandTo } from "./advice-words.ts";
import { signatureOf } from "./details.ts";
import { addressInWords, jobItems, jobsInWords } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import { refusedWords } from "./refused.ts";
import { slowerInWords } from "./run-length-words.ts";
import { counted, durationInWords, grouped } from "./spoken-time.ts";
import { storageWords } from "./storage.ts";
import { alertTitle, latenessOf } from "./subject.ts";
import { BARE, type Item, type NoticeWords, type Sending, type Wording } from "./types.ts";
import { unheardWords } from "./unheard.ts";

export function noticeWording(message: NoticeMessage, { late, times }: Sending): Wording {
  const { notice } = message.data;
  const words = WORDS[notice.kind](message, notice as never, times);
  return {
    ...BARE,
    ...words,
    subject: `${words.subject}${latenessOf(late)}`,
    signature: signatureOf(message.data, "your jobs"),
    tone: "neutral",
  };
}

const WORDS: {
  readonly [Kind in NoticeDetails["kind"]]: (
    message: NoticeMessage,
    notice: Extract<NoticeDetails, { readonly kind: Kind }>,
    times: Times,
  ) => NoticeWords;
} = {
  unheard: unheardWords,
  refused: refusedWords,
  storage: storageWords,
  backup: backupWords,
  clock: clockWords,
  drill: drillWords,
  undelivered: undeliveredWords,
  failing: failingWords,
  report: reportWords,
  unusual: unusualWords,
};

// The notice that a run took unusually long or short for its job. Only a person can say what that means.

function unusualWords({ data }: NoticeMessage, details: UnusualDetails, times: Times): NoticeWords {
  const { monitor, tookSeconds, usualFromSeconds, usualToSeconds } = details;
  const job = jobsInWords([monitor], 1, data);
  const [took, from, to] = [tookSeconds, usualFromSeconds, usualToSeconds].map((each) =>
    durationInWords(each * SECOND),
  );
  const usual = `usually ${from === to ? to : `${from} to ${to}`}`;
  const say = (at: string): string => times.say(at, monitor.timezone);
  const advice = ['This comes for each such run, as unusual = "tell" asks.'];
  const { startedAt = null, endedAt } = details;
  const began = startedAt === null ? "" : say(startedAt);
  const ended = endedAt === null ? "has not reported its end" : `ended at ${say(endedAt)}`;
  if (startedAt !== null)
    return {
      subject: `${job} ${endedAt === null ? "is still running" : "ended"} after ${took}, ${usual}`,
      story: [`The run that started at ${began} ${ended}.`],
      toDo: endedAt === null ? "Look at what makes it slow." : "There is nothing to do.",
      advice,
    };
  return {
    subject: `${job} took ${took}, ${usual}`,
    story: [`The run that ${ended} took ${took}, and reported success.`],
    toDo: tookSeconds > usualToSeconds ? "Look at what made it slow." : "Check whether it did its work.",
    advice,
  };
}

// The regular report about all jobs: what happened, what is still open, and what may cause trouble next.

function reportWords({ data }: NoticeMessage, details: ReportDetails, times: Times): NoticeWords {
  const { from, to, monitorsTotal, reportedTotal, troubledTotal, openTotal, untoldTotal } = details;
  const jobs = counted(monitorsTotal, "job");
  const still = openTotal === 0 ? "" : `, ${openTotal} ${openTotal === 1 ? "is" : "are"} open`;
  const list = (head: string, monitors: readonly ListedReported[], detailOf: (one: ListedReported) => string): Item[] =>
    jobItems(monitors, monitors.length, data, (one) => [`${head}: ${detailOf(one)}`]);
  const took = ({ usualSeconds }: ListedReported): string => durationInWords((usualSeconds ?? 0) * SECOND);
  return {
    subject: `Report: ${troubledTotal === 0 ? `no trouble with ${jobs}` : `${troubledTotal} of ${jobs} had trouble`}${still}`,
    story: [
      `${reportedTotal} of ${jobs} reported between ${times.say(from, data.timezone)} and ${times.say(to, data.timezone)}, and ${troubledTotal} had trouble.`,
      ...(openTotal === 0 ? [] : [`${counted(openTotal, "incident")} ${openTotal === 1 ? "is" : "are"} open now.`]),
      ...(untoldTotal === 0 ? [] : [`Alerts of ${counted(untoldTotal, "job")} would reach no one.`]),
    ],
    toDo:
      openTotal > 0
        ? "Look at what is open."
        : untoldTotal > 0
          ? "Say where these alerts go."
          : reportedTotal === 0 && monitorsTotal > 0
            ? "Check whether rollcall could hear its jobs: none reported."
            : "There is nothing to do.",
    items: [
      ...list("trouble", details.flaky, ({ incidents }) => counted(incidents, "incident")),
      ...list("getting slow", details.slower, (one) => `takes ${took(one)}, ${slowerInWords(one.slower!)}`),
      ...list("takes longest", details.slow, took),
      ...list("told to no one", details.untold, () => "no destination takes its alerts"),
    ],
    commands: openTotal === 0 ? [] : [commandTo("See all that is open", "rollcall incident list --open", data)],
    advice: ["alerts.report in the configuration says when this comes."],
  };
}

// The notice that a backup, or the command that follows it, failed. It also says that jobs are still watched.

function backupWords(
  { data }: NoticeMessage,
  { step, file, failedAt, reason }: BackupDetails,
  times: Times,
): NoticeWords {
  const at = times.say(failedAt, data.timezone);
  const isCopy = step === "copy";
  return {
    subject: isCopy ? "rollcall's backup failed" : "rollcall's backup was made, but its command failed",
    story: [
      isCopy
        ? `rollcall could not back up its database: ${reason}.`
        : `rollcall backed up its database, but storage.backup_command failed: ${reason}.`,
      `That was at ${at}. Your jobs are watched as before.`,
    ],
    toDo: isCopy
      ? "Fix this; rollcall tries again within an hour."
      : "Fix the command; it runs again with the next backup.",
    commands: [commandTo("See which backups there are", "rollcall backups", data)],
    advice: ["This comes once, and again only after a backup that went well."],
    facts: [{ label: "File", value: file }],
  };
}

// The notice that stored times lay in the future, because a wrong clock was set back, and that they were put right
// (R26). It says what this means for the monitors, and that no message told of misses until the times were right.

function clockWords({ at, data: { timezone } }: NoticeMessage, details: ClockDetails, times: Times): NoticeWords {
  const step = `${details.exact ? "" : "at least "}${durationInWords(details.aheadSeconds * SECOND)}`;
  const since = times.say(details.since, timezone);
  const now = times.say(at, timezone);
  return {
    subject: `rollcall's clock was set back by ${step}: missing reports went unnoticed`,
    story: [
      `rollcall could not notice missing reports, because its clock was set back by ${step}.`,
      `It noticed that at ${since}. From then on the times that it had stored lay in the future.`,
      `At ${now} those times were set right, for ${counted(details.monitorsTotal, "job")}. The next report is expected at the first scheduled time after that, runs under way have their full time again, and open incidents stay open.`,
    ],
    toDo: "Check whether the jobs that were due meanwhile ran.",
    advice: [
      "No other message tells of those that did not run.",
      `Check that the clock is right now, and that something keeps it right. Times in earlier messages are ${step} too late.`,
    ],
  };
}

// The notice about a drill that did not arrive everywhere: where an alert would be lost, and how the attempts to send
// the drill ended. The drill's own message is worded in wording.ts.

function drillWords({ data }: NoticeMessage, details: DrillDetails, times: Times): NoticeWords {
  const { monitor, drilledAt, addresses } = details;
  const job = jobsInWords([monitor], 1, data);
  const lost = addresses.filter(({ delivered }) => !delivered);
  const arrived = addresses.filter(({ delivered }) => delivered);
  const nowhere = addresses.length === 0;
  const names = [...new Set(lost.map(({ destination }) => destination))];
  return {
    subject: `Drill failed: alerts of ${job} ${nowhere ? "go nowhere" : "do not arrive everywhere"}`,
    story: [
      nowhere
        ? `The job ${job} has no destination: nobody would hear of a failure.`
        : `A drill of the alerts of ${job} did not arrive everywhere.`,
      `The drill went out at ${times.say(drilledAt, monitor.timezone)}.${nowhere ? "" : " It did not arrive at:"}`,
    ],
    toDo: nowhere
      ? "Give it a destination."
      : `Repair the destination${names.length === 1 ? "" : "s"} ${names.join(", ")}.`,
    items: lost.map(itemOf),
    advice: [
      "The drill says nothing of the job itself. Until this is repaired, an alert would be lost in the same place.",
    ],
    commands: names.map((name) => commandTo(`Check ${name} when it is repaired`, `rollcall notify test ${name}`, data)),
    facts: arrived.length === 0 ? [] : [{ label: "Arrived at", value: arrived.map(addressInWords).join(", ") }],
  };
}

type DrillAddress = DrillDetails["addresses"][number];

const itemOf = (address: DrillAddress): Item => ({
  name: addressInWords(address),
  details: [cleanLine(address.answer ?? "no answer", SCHEDULE_LENGTH)],
  quote: null,
});

// The notice that a destination has taken no message for an hour, or takes messages again (R36). It goes to another
// destination, because this one takes no messages.

function failingWords({ at, data }: NoticeMessage, details: FailingDetails, times: Times): NoticeWords {
  const { destination, since, until } = details;
  if (until !== null) return worksAgain(details, data.timezone, times);
  const { messagesTotal, monitorsTotal, monitors } = details;
  const span = durationInWords(at - Date.parse(since));
  const about = monitorsTotal === 0 ? "" : ` about ${jobsInWords(monitors, monitorsTotal, data)}`;
  const waiting = `${counted(messagesTotal, "message")}${about} ${messagesTotal === 1 ? "waits" : "wait"} there`;
  const answer = cleanLine(details.answer ?? "", SCHEDULE_LENGTH);
  const first = times.say(since, data.timezone);
  return {
    subject: `${destination} has taken no messages for ${span}: ${waiting}`,
    story: [
      `The destination ${destination} has taken no messages for ${span}.`,
      `It has taken none since ${first}. ${waiting}; the people there do not know.`,
      ...(answer === "" ? [] : [`The last answer was: ${answer}`]),
    ],
    toDo: `Repair ${destination}, then send it a test.`,
    items: lostItems(details, data, times),
    advice: [
      "A test that arrives sends all that waits there. Until then rollcall tries by itself, at least once an hour.",
      "You hear of this once, and again when it takes messages.",
    ],
    commands: [commandTo(`Send ${destination} a test`, `rollcall notify test ${destination}`, data)],
  };
}

function worksAgain({ destination, since, until }: FailingDetails, timezone: string, times: Times): NoticeWords {
  const span = durationInWords(Date.parse(until!) - Date.parse(since));
  return {
    subject: `${destination} takes messages again, after ${span}`,
    story: [
      `The destination ${destination} takes messages again.`,
      `It had taken none from ${times.say(since, timezone)} on. The messages that waited there go out now. Each one says what has happened since.`,
    ],
    toDo: "There is nothing to do.",
  };
}

// The notice about messages that a destination did not take and rollcall has given up (R36). It says where they were
// lost, which jobs they were about, and how to send them again. It goes to another destination, because people may
// never look at this one.

function undeliveredWords({ data }: NoticeMessage, details: UndeliveredDetails, times: Times): NoticeWords {
  const { destination, removed, since, messagesTotal, monitorsTotal, monitors } = details;
  const messages = counted(messagesTotal, "message");
  const about = monitorsTotal === 0 ? "" : ` about ${jobsInWords(monitors, monitorsTotal, data)}`;
  const answer = cleanLine(details.answer ?? "", SCHEDULE_LENGTH);
  const first = times.say(since, data.timezone);
  return {
    subject: `Not delivered to ${destination}: ${messages}${about}`,
    story: [
      removed === true
        ? `${destination} was taken out of the configuration while ${messages}${about} waited there.`
        : `The destination ${destination} did not take ${messages}${about}, and rollcall has given up.`,
      `The people who read there have not been told. The ${messagesTotal === 1 ? "" : "first "}message was to go out at ${first}.${answer === "" || removed === true ? "" : ` The last answer was: ${answer}`}`,
    ],
    toDo: removed === true ? "Tell these people, if it matters." : `Repair the destination ${destination}.`,
    items: lostItems(details, data, times),
    advice: removed === true ? [] : ["While this goes on you hear of it once an hour at most."],
    commands: [
      ...(removed === true
        ? []
        : [commandTo(`Check ${destination} when it is repaired`, `rollcall notify test ${destination}`, data)]),
      commandTo("List what was given up", "rollcall notify list --given-up", data),
      // A message can be sent again only to a configured destination, so a removed one gets no command.
      ...(removed === true ? [] : [commandTo("Send one again, by its number", "rollcall notify resend NUMBER", data)]),
    ],
  };
}

/** The most messages of one job that are named. Further ones are only counted. */
const MESSAGES_NAMED = 5;

const lostItems = ({ monitors, monitorsTotal }: HeldMessages, instance: NoticeMessage["data"], times: Times): Item[] =>
  jobItems(monitors, monitorsTotal, instance, ({ messages, messagesTotal, timezone }) => {
    const shown = messages.slice(0, MESSAGES_NAMED);
    const left = messagesTotal - shown.length;
    return [
      ...shown.map(
        ({ deliveryId, recipient, kind, at }) =>
          `"${alertTitle(kind)}" of ${times.say(at, timezone)}${recipient === null ? "" : `, to ${cleanLine(recipient, SCHEDULE_LENGTH)}`}: number ${deliveryId}`,
      ),
      ...(left > 0 ? [`and ${grouped(left)} more`] : []),
    ];
  });
