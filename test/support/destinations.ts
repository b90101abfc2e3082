// Destinations as routing sees them, by what they take.

import type { DestinationRules } from "../../src/domain/settings/policy.ts";

/** One message for all who read there, as a chat or a webhook takes it. */
export const MESSAGES: DestinationRules = { takes: "messages" };

/** As a pager takes them. */
export const INCIDENTS: DestinationRules = { takes: "incidents" };

/** Mail to the team's members, each by the events they chose. */
export const TEAM_MAIL: DestinationRules = { takes: "mail", recipients: null };

export const mailTo = (...recipients: string[]): DestinationRules => ({ takes: "mail", recipients });
