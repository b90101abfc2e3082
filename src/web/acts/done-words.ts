// Tells what was done to something other than a job, in a sentence for the person who has just done it.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer, Input, OperationName } from "../../engine/operations/operations.ts";
import { jobsUnder, maintenanceState } from "../../views/rows/maintenance-rows.ts";

type Worded = {
  readonly [Name in OperationName]?: (answer: Answer<Name>, given: Partial<Input<Name>>) => string;
};

const WORDS: Worded = {
  "app create": ({ slug }) => `The application ${slug} is there; its jobs need a key`,
  "app suspend": ({ application: { slug } }) =>
    `Application ${slug} is suspended: its keys are refused, and its jobs paused`,
  "app resume": ({ application: { slug } }) => `Application ${slug} is no longer suspended`,
  "key revoke": ({ id, application }) => `Key ${id} of ${application} no longer works`,
  "key label": ({ id, application, label }) =>
    `Key ${id} of ${application} ${label === null ? "has no name now" : `is called “${label}” now`}`,
  "address revoke": ({ id, application }) => `The old address ${id} of ${application} no longer works`,
  "status-page add": ({ application }) =>
    `Application ${application} has a status page: whoever knows its address sees it`,
  "status-page remove": ({ application }) => `The status page of ${application} is gone`,
  "destination rename": ({ name, newName }) => `Destination ${name} is called ${newName} now`,
  "destination remove": ({ name, left }) => `Destination ${name} is removed; alerts go ${toThese(left)} by default`,
  "destination route": ({ application, destinations }) =>
    `Alerts${application === null ? "" : ` of ${application}`} go ${toThese(destinations)} now`,
  "member add": ({ email, replaced }) => (replaced ? `The mail to ${email} is changed` : `${email} gets mail now`),
  "member remove": ({ email }) => `${email} gets no more mail`,
  "user change": ({ name, role, applications }) =>
    `${name} is ${role} of ${applications === null ? "all applications" : applications.join(", ")} now`,
  "user sign-out": ({ name }) => `${name} is signed out everywhere`,
  "user unbind": ({ name }) => `${name} is no longer known by an account of a provider`,
  "user delete": ({ name }) => `${name} is deleted, and signed out everywhere`,
  "notify test": (_, { destination }) => `A test is on its way to ${destination}`,
  "notify resend": ({ done, delivery: { destination } }) =>
    done === "under_way"
      ? `The message is being sent to ${destination} already`
      : `The message goes to ${destination} again`,
  "incident ack-all": ({ acknowledged }) =>
    `${counted(acknowledged, "incident")} ${acknowledged === 1 ? "is" : "are"} acknowledged`,
  "maintenance plan": ({ maintenance, unmatched }) => {
    const begins = maintenance.state === "now" ? "has begun" : "is planned";
    const missing = unmatched.length === 0 ? "" : `; no job is called ${unmatched.join(", ")} yet`;
    return `Maintenance of ${jobsUnder(maintenance)} ${begins}${missing}`;
  },
  "maintenance end": ({ maintenance }) =>
    `Maintenance of ${jobsUnder(maintenance)} ${maintenanceState(maintenance) === "called off" ? "is called off" : "has ended"}`,
};

const toThese = (names: readonly string[]): string => (names.length === 0 ? "nowhere" : `to ${names.join(", ")}`);

/**
 * Returns the sentence that tells what the operation did, without its full stop; `null` when the operation has no
 * sentence here.
 */
export function operationDoneInWords(name: OperationName, answer: object, given: object): string | null {
  const words = WORDS[name] as ((answer: object, given: object) => string) | undefined;
  return words?.(answer, given) ?? null;
}
