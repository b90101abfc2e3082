// What of a configuration that was read again comes into force while the service runs, and what waits. Pure.

import type { Config, WebSettings } from "./all-keys.ts";
import type { EffectiveSetting } from "./effective.ts";
import type { LoadedConfig } from "./load.ts";

/** `inForce`: the new configuration, and of what waits the old. */
export function reloadable(before: LoadedConfig, now: LoadedConfig) {
  // Two servers become one, or one becomes two.
  const webWaits = ownAddress(before.config.web) !== ownAddress(now.config.web);
  const waits = ({ key, restart }: { readonly key: string; readonly restart: boolean }): boolean =>
    restart || (webWaits && key.startsWith("web."));
  const old = new Map(before.settings.map((setting) => [setting.key, setting]));
  const changes = [...changedSettings(before.settings, now.settings), ...otherCertificate(before, now)];
  return {
    inForce: {
      ...now,
      config: withOld(before.config, now.config, webWaits),
      settings: now.settings.map((setting) => (waits(setting) ? (old.get(setting.key) ?? setting) : setting)),
    },
    changed: changes.filter((change) => !waits(change)),
    waiting: changes.filter(waits),
  };
}

const ownAddress = (web: WebSettings | null): string | null =>
  web === null || web.listen === null ? null : `${web.listen.host} ${web.listen.port}`;

const withOld = (before: Config, now: Config, webWaits: boolean): Config => ({
  ...now,
  server: { ...now.server, host: before.server.host, port: before.server.port, tls: before.server.tls },
  mailIn: before.mailIn,
  web: webWaits ? before.web : now.web,
  storage: { ...now.storage, directory: before.storage.directory },
});

/** The files have the same names and hold something else. */
function otherCertificate(before: LoadedConfig, now: LoadedConfig): ChangedSetting[] {
  const changed = changedSettings(before.settings, now.settings);
  const isNamed = changed.some(({ key }) => key === "server.tls_cert" || key === "server.tls_key");
  const isSame = JSON.stringify(before.config.server.tls) === JSON.stringify(now.config.server.tls);
  const setting = now.settings.find(({ key }) => key === "server.tls_cert");
  if (isSame || isNamed || setting === undefined) return [];
  const { key, value, from, restart } = setting;
  return [{ key, before: value, after: value, secret: false, from, restart }];
}

// What differs between two configurations, for people to look at. Tells no secret.

export type ChangedSetting = ReturnType<typeof effectiveChange>[number];

/** In the order of the new ones; what is there no more comes last. */
export function changedSettings(
  inForce: readonly EffectiveSetting[],
  now: readonly EffectiveSetting[],
): ChangedSetting[] {
  const before = new Map(inForce.map((setting) => [setting.key, setting]));
  const kept = new Set(now.map(({ key }) => key));
  return [
    ...now.flatMap((setting) => effectiveChange(before.get(setting.key) ?? null, setting)),
    ...inForce.filter(({ key }) => !kept.has(key)).flatMap((setting) => effectiveChange(setting, null)),
  ];
}

function effectiveChange(before: EffectiveSetting | null, after: EffectiveSetting | null) {
  const isSame = before?.value === after?.value && before?.digest === after?.digest;
  const wasOrIsSet = isSet(before) || isSet(after);
  if (isSame || !wasOrIsSet) return [];
  return [
    {
      key: (after ?? before)!.key,
      before: before?.value ?? null,
      after: after?.value ?? null,
      secret: (before?.secret ?? false) || (after?.secret ?? false),
      from: after?.from ?? null,
      restart: (after ?? before)!.restart,
    },
  ];
}

const isSet = (setting: EffectiveSetting | null): boolean =>
  setting !== null && (setting.value !== null || setting.digest !== null);
