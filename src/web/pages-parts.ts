// What every group of pages is made of.

import type { Refusal } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { PasskeySite } from "../domain/people/sign-in.ts";
import type { StatusPageSettings } from "../domain/people/status-page-settings.ts";
import type { Clock, SelfPingHealth } from "../engine/api.ts";
import type { Engine } from "../engine/engine.ts";
import type { Entrance } from "../http/handler.ts";
import type { Oidc } from "./account/oidc.ts";
import type { Toasts } from "./done.ts";
import type { OpenStream } from "./event-stream.ts";
import type { LivePattern, LiveWatch, News } from "./live/live.ts";
import type { Seats } from "./live/seats.ts";
import type { SettingsInForce } from "./settings/setting.ts";
import type { ViewerOf } from "./viewer.ts";

export interface PagesParts extends Omit<PagesSettings, "viewersAt"> {
  readonly viewerOf: ViewerOf;
  readonly entrance: Entrance;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  readonly news: News;
  readonly watch: LiveWatch;
  /** All that can be watched. */
  readonly livePages: LivePattern[];
  readonly seats: Seats;
  readonly toasts: Toasts;
  readonly openStream: OpenStream;
  /** To be called before a look at the board. Rejects with what SQLite throws. */
  readonly catchUp: () => Promise<void>;
}

export interface PagesSettings {
  readonly engine: Engine;
  /** Who looks at pages that are reached through this entrance. */
  readonly viewersAt: (entrance: Entrance) => ViewerOf;
  readonly clock: Clock;
  readonly log: Log;
  /** What a service is answered that posts an answer to an alert. Never throws. */
  readonly answerOf: (service: string, call: Readonly<{ headers: Headers; body: Buffer }>) => object | Refusal;
  /** Null: no provider signs people in. */
  readonly oidc: Oidc | null;
  /** A refusal: why passkeys are off. */
  readonly passkeySite: PasskeySite | Refusal;
  /** Calls `run` once after this number of milliseconds; the answer calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  readonly version: string;
  /** How commands that ask this service begin where it was started: `rollcall`, or more. */
  readonly commandLine: string;
  /** Why not all is well, beside the engine's reasons those of this process (`/readyz`). */
  readonly troubles: Engine["troubles"];
  /** Null: no other monitor is told of this rollcall. */
  readonly selfPing: () => SelfPingHealth | null;
  readonly inForce: SettingsInForce;
  /** Those that this server has beside the pages for people. */
  readonly statusPages: readonly StatusPageSettings[];
  /** Where jobs reach this rollcall, without a slash at its end; null: where the page was asked for. */
  readonly address: string | null;
  /** What stands behind the @ where reports come by mail; null: none do. */
  readonly mailDomain: string | null;
}
