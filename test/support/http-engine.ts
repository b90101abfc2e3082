// The engine behind the HTTP server as a plain object that remembers what it was asked, so that a test can see exactly
// what a request became. It keeps monitors by name only: no schedule is computed, and nothing alarms.

import { type Refusal, refuse } from "../../src/domain/errors.ts";
import type { Instant } from "../../src/domain/time.ts";
import type { Caller, KeyScope, Ping, Receipt, RefusedPing } from "../../src/engine/api.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { Operator } from "../../src/engine/operations/operate.ts";
import type { People } from "../../src/engine/people/person-accounts.ts";
import type { Views } from "../../src/views/views.ts";
import { TURNS } from "./turns.ts";

export interface RecordingEngine extends Engine {
  /** Every ping that reached the engine, taken or refused, oldest first. */
  readonly pings: readonly Ping[];
  /** Every ping that a rate limit refused, with the setting, oldest first. */
  readonly refusedReports: readonly RefusedPing[];
  readonly refusedPings: readonly { readonly ping: Ping; readonly setting: string }[];
  /** Every key that was asked about, oldest first. */
  readonly askedKeys: readonly string[];
  createApplication(slug: string): { readonly slug: string } | Refusal;
  createKey(application: string, scope: KeyScope, secret: string): { readonly key: string } | Refusal;
}

export interface RecordingEngineSettings {
  /** Replaces the answers of `ingest`. */
  readonly ingest?: (ping: Ping) => Promise<Receipt | Refusal>;
  readonly authenticate?: (key: string) => Caller | Refusal;
  readonly troubles?: readonly string[];
  /** The troubles that everyone but the operator is told; absent when they are the same. */
  readonly generalTroubles?: readonly string[];
}

/** 2026-03-01T02:00:00Z, when every report here arrives. */
export const ARRIVAL: Instant = Date.UTC(2026, 2, 1, 2);

const NOT_AUTHENTICATED = refuse("AUTHENTICATION_REQUIRED", "a valid API key is required");

const NO_BROWSERS = {
  add: () => null,
  remove: () => null,
  test: () => null,
  noteMessageTaken: () => {},
  gone: () => {},
};
const NO_PEOPLE = refuse("NOT_FOUND", "this engine has no people");

const NO_REPLIES: RecordingEngine["replies"] = {
  tokenFor: () => null,
  replyOptionsFor: () => null,
  look: () => NO_PEOPLE,
  take: () => NO_PEOPLE,
};

/** People of whom none may sign in. */
const NOBODY: People = {
  sessionOf: () => null,
  known: () => null,
  areNone: () => false,
  named: () => null,
  signIn: () => null,
  signOut: () => {},
  sessionsOf: () => [],
  endSessions: () => false,
  changePassword: () => null,
  link: () => NO_PEOPLE,
  useLink: () => NO_PEOPLE,
  signInVouched: () => NO_PEOPLE,
  firstLink: () => null,
  saveUses: () => {},
  randomToken: () => "r".repeat(43),
  passkeys: {
    of: () => [],
    find: () => null,
    refuseAdding: () => null,
    add: () => null,
    remove: () => null,
    signIn: () => null,
  },
};

const NO_OPERATIONS = refuse("NOT_FOUND", "this engine has no operations");

const NO_OPERATOR: Operator = {
  operate: () => NO_OPERATIONS,
  *ask() {
    yield* [];
    return NO_OPERATIONS;
  },
};

const NO_VIEWS: Views = {
  viewContext: () => ({ now: ARRIVAL, timezone: "UTC", onlyApplication: true }),
  timezone: () => "UTC",
  mailRuleFor: () => ({ rule: null, succeededAt: null }),
  *lookBack() {
    yield* [];
    return { now: ARRIVAL, name: "prod", timezone: "UTC", monitors: [], more: 0, maintenances: [] };
  },
  *syncStatus(application) {
    yield* [];
    return { application, at: ARRIVAL, total: 0, pages: [].values() };
  },
  troubledLately: () => new Map(),
  advice: () => refuse("NOT_FOUND", "application: there is none"),
  adviceOnReplies: () => [],
  replay: () => refuse("NOT_FOUND", "key: there is no such monitor"),
  *timelines() {
    yield* [];
    return { gaps: [], monitors: new Map() };
  },
  troubledIn: () => new Set(),
  failing: () => new Map(),
  *openIncidents() {
    yield* [];
    return { needing: [], openOfPausedJobs: 0 };
  },
  incidents: () => ({ incidents: [], older: null }),
  openCount: () => 0,
  maintenances: () => [],
  addresses: () => new Map(),
  deliveries: () => ({ rows: [], older: null }),
  destinations: () => [],
  newBoard: () => NO_VIEWS.board,
  jobStates: () => [],
  board: {
    *catchUp() {
      yield* [];
    },
    *monitors() {
      yield* [];
      return [];
    },
    recentRuns: () => new Map(),
    forget: () => {},
  },
  health: () => ({
    suspended: [],
    plainHttp: [],
    zoneRules: { version: "2026a", origin: "rollcall" },
    gaps: [],
    moreGaps: false,
    database: { bytes: 0, free: 0, sqlite: "3" },
    signedIn: [],
  }),
  monitorId: () => null,
  *job() {
    yield* [];
    return refuse("MONITOR_NOT_FOUND", "this engine has no monitors");
  },
  sentencesNow: () => new Map(),
  notified: () => new Map(),
  *measures() {
    yield* [];
    return { at: ARRIVAL, applications: [], monitors: [], leftOut: 0, destinations: [] };
  },
};

export function createRecordingEngine(settings: RecordingEngineSettings = {}): RecordingEngine {
  const pings: Ping[] = [];
  const refusedPings: { ping: Ping; setting: string }[] = [];
  const refusedReports: RefusedPing[] = [];
  const askedKeys: string[] = [];
  const applications: string[] = [];
  const keys = new Map<string, { readonly id: number; readonly application: string; readonly scope: KeyScope }>();
  const monitors = new Set<string>();
  const started = new Set<string>();

  function authenticate(key: string): Caller | Refusal {
    askedKeys.push(key);
    if (settings.authenticate !== undefined) return settings.authenticate(key);
    const row = keys.get(key);
    if (row === undefined) return NOT_AUTHENTICATED;
    const { id: keyId, application, scope } = row;
    return { applicationId: applications.indexOf(application) + 1, application, keyId, scope };
  }

  function answer(ping: Ping): Receipt | Refusal {
    const { caller, monitorKey, kind, message } = ping;
    const monitor = JSON.stringify([caller.applicationId, monitorKey]);
    if (!monitors.has(monitor) && (ping.said.schedule === null || kind === "log")) {
      return refuse("MONITOR_NOT_FOUND", `monitor ${monitorKey} does not exist, send its schedule`);
    }
    monitors.add(monitor);
    const run = JSON.stringify([monitor, ping.runId]);
    if (kind === "start") started.add(run);
    const durationSeconds = kind === "complete" && started.delete(run) ? 0 : null;
    return { kind, monitorKey, at: ARRIVAL, happenedAt: null, durationSeconds, message, warning: null };
  }

  function createKey(application: string, scope: KeyScope, secret: string) {
    if (!applications.includes(application)) return refuse("NOT_FOUND", `application: "${application}" does not exist`);
    const key = `ck_app_${application}_${secret}`;
    const row = { id: keys.size + 1, application, scope };
    keys.set(key, row);
    return { key, row };
  }

  function createApplication(slug: string) {
    if (applications.includes(slug)) return refuse("INVALID_REQUEST", `slug: application "${slug}" exists already`);
    applications.push(slug);
    return { slug, createdAt: ARRIVAL };
  }

  return {
    scheduler: TURNS,
    pings,
    refusedPings,
    refusedReports,
    askedKeys,
    intake: {
      authenticate,
      atOldAddress: () => null,
      plainRefused: () => {},
      hasOldAddresses: () => false,
      keepAddress: () => {},
      revokedKey: () => null,
      heardFrom: () => {},
      rhythmsOf: () => [],
      outputRules: () => null,
      ingest: (ping) => {
        pings.push(ping);
        return settings.ingest === undefined ? Promise.resolve(answer(ping)) : settings.ingest(ping);
      },
      refused: (refused) => void refusedReports.push(refused),
      rateLimited: (ping, setting) => void refusedPings.push({ ping, setting }),
      sync: ({ application }, { source }) => ({
        source: `${source} of ${application}`,
        at: ARRIVAL,
        synced: [],
        errors: [],
        withheld: [],
        total: 0,
        faults: 0,
      }),
    },
    changes: { subscribe: () => ({ take: () => [], end: () => {} }) },
    views: NO_VIEWS,
    createApplication,
    createKey,
    as: () => NO_OPERATOR,
    adminKeys: { isOpen: () => false, authenticate: () => null, revoked: () => null },
    people: NOBODY,
    replies: NO_REPLIES,
    browsers: { of: () => [], maySee: () => false, keys: () => "", knownKeys: () => "", ...NO_BROWSERS },
    notInForce: () => [],
    troubles: (listener) => (listener === "anyone" ? settings.generalTroubles : undefined) ?? settings.troubles ?? [],
  };
}
