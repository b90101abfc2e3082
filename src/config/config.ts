// The configuration as the rest of the program gets it: plain data, everything checked, read and filled in. Says nothing
// about where a value came from.

import type { ApplicationRules, Team } from "../domain/settings/policy.ts";
import type { Mailbox } from "./addresses.ts";
import type { Destination } from "./destination.ts";

export interface Config {
  readonly server: ServerSettings;
  readonly storage: {
    /** Absolute. */
    readonly directory: string;
    /** Milliseconds. */
    readonly keepPings: number;
  };
  /** Requests a key may send; 0: no limit (R33). */
  readonly limits: {
    readonly v1PerMinute: number;
    readonly v1PerHour: number;
    readonly aliasPerMinute: number;
    readonly syncPerMinute: number;
  };
  /** Null: mail cannot be sent. */
  readonly smtp: Smtp | null;
  /** Its destinations are where alerts go that no monitor and no application sends elsewhere (R38). */
  readonly team: Team;
  /** R23. */
  readonly alerts: {
    /** Milliseconds after the opening, ascending. */
    readonly continuedAfter: readonly number[];
    /** Milliseconds. */
    readonly continuedEvery: number;
    /** Reminders of one incident in all; 0: none. */
    readonly continuedMax: number;
  };
  /** By name; those that exist without being configured are in it too. */
  readonly destinations: ReadonlyMap<string, Destination>;
  /** By slug. Absent values are declared by jobs or found one level higher (R31, R38). */
  readonly applications: ReadonlyMap<string, ApplicationRules>;
  /** Every value that must never be seen in a log, an error or a page (R40). */
  readonly secrets: ReadonlySet<string>;
}

export interface ServerSettings {
  /** An IP address without brackets, or `localhost`. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Without a slash at its end; null: not known, people reach the server where it listens. */
  readonly publicUrl: string | null;
  /** R35. */
  readonly plainHttp: "loopback" | "refuse" | "accept";
  /** Networks as CIDR (R35). */
  readonly trustedProxies: readonly string[];
  /** Null: it says nothing, and the zone that the first start found holds (R13). */
  readonly timezone: string | null;
  /** The certificate chain and key as PEM; null: plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
}

export interface Smtp {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  readonly login: { readonly username: string; readonly password: string } | null;
  readonly from: Mailbox;
}
