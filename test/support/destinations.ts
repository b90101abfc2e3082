// Destinations as routing sees them, by what they take.

import type { DestinationRules } from "../../src/domain/settings/policy.ts";

/** A destination with one message for all its readers, as a chat or a webhook. */
export const MESSAGES: DestinationRules = { takes: "messages" };

/** A destination that keeps incidents, as a pager. */
export const INCIDENTS: DestinationRules = { takes: "incidents" };

/** A destination with mail to the team's members, each by the events they chose. */
export const TEAM_MAIL: DestinationRules = { takes: "mail", recipients: null };

export const mailTo = (...recipients: string[]): DestinationRules => ({ takes: "mail", recipients });
