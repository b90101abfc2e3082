// The dependencies and settings that every group of pages gets.

import type { Refusal } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { PasskeySite } from "../domain/people/sign-in.ts";
import type { StatusPageSettings } from "../domain/settings/status-page-settings.ts";
import type { Clock, SelfPingHealth } from "../engine/api.ts";
import type { Engine } from "../engine/engine.ts";
import type { RequestOrigin } from "../http/handler.ts";
import type { Oidc } from "./account/oidc.ts";
import type { Toasts } from "./acts/done.ts";
import type { OpenStream } from "./live/event-stream.ts";
import type { LivePattern, LiveWatch, News } from "./live/live.ts";
import type { Seats } from "./live/seats.ts";
import type { SettingsInForce } from "./settings/setting.ts";
import type { ViewerOf } from "./viewer.ts";

export interface PagesParts extends Omit<PagesSettings, "viewersAt"> {
  readonly viewerOf: ViewerOf;
  readonly requestOrigin: RequestOrigin;
  /** Is aborted when the server stops. */
  readonly stopping: AbortSignal;
  readonly news: News;
  readonly watch: LiveWatch;
  /** The pages that a browser can keep open and current. */
  readonly livePages: LivePattern[];
  readonly seats: Seats;
  readonly toasts: Toasts;
  readonly openStream: OpenStream;
  /** Brings the board up to date. A page calls this before it reads the board. Rejects with SQLite's errors. */
  readonly catchUp: () => Promise<void>;
}

export interface PagesSettings {
  readonly engine: Engine;
  /** Makes the function that finds out who asks for a page. `requestOrigin` tells it where a request comes from. */
  readonly viewersAt: (requestOrigin: RequestOrigin) => ViewerOf;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Takes the reply to an alert that a push or chat service posts, and returns what to send back to the service. Never
   * throws.
   */
  readonly takePostedReply: (service: string, call: Readonly<{ headers: Headers; body: Buffer }>) => object | Refusal;
  /** Signs people in by an OpenID provider; `null` when none is configured. */
  readonly oidc: Oidc | null;
  /** The site for which browsers make passkeys; a refusal says why passkeys are off. */
  readonly passkeySite: PasskeySite | Refusal;
  /** Calls `run` once after this number of milliseconds; the returned function cancels the call. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  readonly version: string;
  /**
   * The words with which a command begins that a person types on this machine to ask this service, for example
   * `rollcall`, or `cd /opt/rollcall && ./rollcall`.
   */
  readonly commandLine: string;
  /** Sentences about what keeps rollcall from its work, as `/readyz` gives them. */
  readonly troubles: Engine["troubles"];
  /**
   * Whether the reports arrive that rollcall sends about itself to another monitoring service; `null` when rollcall
   * sends none.
   */
  readonly selfPing: () => SelfPingHealth | null;
  readonly inForce: SettingsInForce;
  /** The status pages that this server serves in addition to the pages for people. */
  readonly statusPages: readonly StatusPageSettings[];
  /**
   * The address at which jobs reach this rollcall, without a slash at its end; `null` when none is configured. Pages
   * then show the address at which they were asked for.
   */
  readonly address: string | null;
  /**
   * The domain of the addresses that take reports by mail, such as `mail.example.org`; `null` when no reports come by
   * mail.
   */
  readonly mailDomain: string | null;
}
