// The pages for people, put together from the configuration; and what they show of it.

import { changedSettings } from "../config/changed.ts";
import type { Config } from "../config/config.ts";
import { formatFault } from "../config/fault.ts";
import type { ConfigFlags, Loaded } from "../config/load.ts";
import { type Refusal, refuse } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { type PasskeySite, passkeySite } from "../domain/people/passkey.ts";
import type { RunningEngine } from "../engine/parts.ts";
import type { MakePages } from "../http/pages.ts";
import type { SelfPing } from "../notify/self-ping.ts";
import { createOidc } from "../web/account/oidc.ts";
import { signedInViewers } from "../web/account/viewers.ts";
import { createPages } from "../web/pages.ts";
import type { OnDisk, SettingsInForce } from "../web/settings/setting.ts";
import { after, systemClock } from "./clock.ts";
import { loadHere } from "./config-check.ts";
import { createRedactor } from "./redact.ts";
import { VERSION } from "./version.ts";

interface PeoplePagesParts {
  readonly config: Config;
  readonly inForce: SettingsInForce;
  readonly engine: RunningEngine;
  readonly troubles: RunningEngine["troubles"];
  readonly selfPing: SelfPing | null;
  readonly log: Log;
}

export const peoplePages = ({ config, inForce, engine, troubles, selfPing, log }: PeoplePagesParts): MakePages =>
  createPages({
    engine,
    clock: systemClock,
    after,
    log,
    version: VERSION,
    troubles,
    selfPing: () => selfPing?.standing() ?? null,
    inForce: { ...inForce, settings: masked(inForce.settings, config) },
    address: config.server.publicUrl,
    viewersAt: signedInViewers(engine.people, config.web?.trustedUserHeader ?? null),
    oidc: config.web?.oidc ? createOidc(config.web.oidc, systemClock) : null,
    statusPages: config.web?.listen === null ? config.statusPages : [],
    passkeySite: passkeySiteIn(config),
  });

/** An address of their own is known to this machine alone. */
const passkeySiteIn = ({ server, web }: Config): PasskeySite | Refusal =>
  web?.listen
    ? refuse(
        "INVALID_REQUEST",
        "passkeys are off: with web.listen, rollcall does not know how people reach these pages",
      )
    : passkeySite(server.publicUrl);

/** What a start would read now, beside what this one has read. */
export function onDisk(flags: ConfigFlags, inForce: Exclude<Loaded, { faults: unknown }>): OnDisk {
  const now = loadHere(flags, process.env);
  if ("faults" in now) return { kind: "faulty", faults: now.faults.map(formatFault) };
  const redact = createRedactor([...inForce.config.secrets, ...now.config.secrets]);
  const hidden = (text: string | null): string | null => (text === null ? null : redact(text));
  const changes = changedSettings(inForce.settings, now.settings);
  return {
    kind: "read",
    changes: changes.map((change) => ({ ...change, before: hidden(change.before), after: hidden(change.after) })),
  };
}

/** A secret may stand in another key too, by mistake or because two are the same. */
function masked(settings: SettingsInForce["settings"], { secrets }: Config): SettingsInForce["settings"] {
  const redact = createRedactor([...secrets]);
  return settings.map((setting) => ({ ...setting, value: setting.value === null ? null : redact(setting.value) }));
}
