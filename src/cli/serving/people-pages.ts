// The pages for people, put together from the configuration.

import type { Config } from "../../config/keys.ts";
import { type Refusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { type PasskeySite, passkeySite } from "../../domain/people/passkey.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import { createFailureLog } from "../../http/api/failed-authentication.ts";
import type { MakePages } from "../../http/pages.ts";
import { createOidc } from "../../web/account/oidc.ts";
import { type ProxySignOn, signedInViewers } from "../../web/account/viewers.ts";
import { createPages } from "../../web/pages.ts";
import type { SettingsInForce } from "../../web/settings/setting.ts";
import { after, systemClock } from "../clock.ts";
import { VERSION } from "../version.ts";
import type { SelfPinging } from "./self-pinging.ts";

interface ServedPagesParts {
  readonly config: Config;
  readonly inForce: SettingsInForce;
  readonly engine: RunningEngine;
  readonly troubles: RunningEngine["troubles"];
  readonly selfPinging: SelfPinging;
  readonly log: Log;
}

export const peoplePages = ({ config, inForce, engine, troubles, selfPinging, log }: ServedPagesParts): MakePages =>
  createPages({
    engine,
    clock: systemClock,
    after,
    log,
    version: VERSION,
    troubles,
    selfPing: selfPinging.health,
    inForce,
    address: config.server.publicUrl,
    viewersAt: signedInViewers(engine.people, proxyIn(config, log)),
    oidc: config.web?.oidc ? createOidc(config.web.oidc, systemClock) : null,
    statusPages: config.web?.listen === null ? config.statusPages : [],
    passkeySite: passkeySiteIn(config),
  });

const proxyIn = ({ web }: Config, log: Log): ProxySignOn | null =>
  web === null || web.trustedUserHeader === null
    ? null
    : {
        header: web.trustedUserHeader,
        secret: web.trustedUserSecret,
        noteFailure: createFailureLog(systemClock, log, "proxy_secret_wrong"),
      };

/** An address of their own is known to this machine alone. */
const passkeySiteIn = ({ server, web }: Config): PasskeySite | Refusal =>
  web?.listen
    ? refuse(
        "INVALID_REQUEST",
        "passkeys are off: with web.listen, rollcall does not know how people reach these pages",
      )
    : passkeySite(server.publicUrl);
