// The configuration for the rest of the program: plain data, fully checked, read and completed. Does not say where a
// value came from.

import type { BackupPlan } from "../domain/backup.ts";
import type { OidcSettings } from "../domain/people/oidc-settings.ts";
import type { StatusPageSettings } from "../domain/people/status-page-settings.ts";
import type { ApplicationRules, Team } from "../domain/settings/policy.ts";
import type { Mailbox } from "./addresses.ts";
import type { Destination } from "./destination.ts";

export interface Config {
  readonly server: ServerSettings;
  /** Null: there is no dashboard. */
  readonly web: WebSettings | null;
  readonly storage: {
    /** Absolute. */
    readonly directory: string;
    /** Milliseconds. */
    readonly keepPings: number;
    readonly backups: BackupPlan;
    /** What a shell runs with each backup; null: nothing. `limit`: milliseconds. */
    readonly backupCommand: { readonly command: string; readonly limit: number } | null;
  };
  /** Requests a key may send; 0: no limit (R33). */
  readonly limits: {
    readonly v1PerMinute: number;
    readonly v1PerHour: number;
    readonly aliasPerMinute: number;
    readonly syncPerMinute: number;
    readonly adminPerMinute: number;
  };
  /** Null: mail cannot be sent. */
  readonly smtp: Smtp | null;
  /** Its destinations get the alerts that no monitor and no application sends elsewhere (R38). */
  readonly team: Team;
  /** R23. */
  readonly alerts: {
    /** Milliseconds after the opening, ascending. */
    readonly continuedAfter: readonly number[];
    /** Milliseconds. */
    readonly continuedEvery: number;
    /** The most reminders of one incident; 0: none. */
    readonly continuedMax: number;
  };
  /** By name; includes those that exist without being configured. */
  readonly destinations: ReadonlyMap<string, Destination>;
  /** By slug. Jobs declare absent values, or they come from one level higher (R31, R38). */
  readonly applications: ReadonlyMap<string, ApplicationRules>;
  /** Pages that need no sign-in; of one application each. */
  readonly statusPages: readonly StatusPageSettings[];
  /** What tells another monitor that we do our work; null: nobody is told. `every`: milliseconds. */
  readonly self: { readonly pingUrl: string; readonly every: number } | null;
  /** Every value that must never appear in a log, an error or a page (R40). */
  readonly secrets: ReadonlySet<string>;
}

export interface ServerSettings {
  /** An IP address without brackets, or `localhost`. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Without a final slash; null: not known, people reach the server where it listens. */
  readonly publicUrl: string | null;
  /** R35. */
  readonly plainHttp: "loopback" | "refuse" | "accept";
  /** Networks as CIDR (R35). */
  readonly trustedProxies: readonly string[];
  /** By which browsers may ask for it, beside the public URL's and those of a private network (R35). */
  readonly hostNames: readonly string[];
  /** Null: not set, and the zone that the first start found is used (R13). */
  readonly timezone: string | null;
  /** The certificate chain and key as PEM; null: plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  /** What programs on other machines send to read `/metrics`; null: they may not. */
  readonly metricsToken: string | null;
}

export interface WebSettings {
  /** Where it listens by itself; null: where the server does. */
  readonly listen: { readonly host: string; readonly port: number } | null;
  /** The header in which a trusted proxy names the person; null: none does. */
  readonly trustedUserHeader: string | null;
  /** What that proxy sends besides; null: nothing. */
  readonly trustedUserSecret: string | null;
  /** Null: no provider signs people in. */
  readonly oidc: OidcSettings | null;
}

export interface Smtp {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  readonly login: { readonly username: string; readonly password: string } | null;
  readonly from: Mailbox;
}
