// Decides which changes of the configuration come into force at once, and which wait for a restart. Pure.

import type { Config, WebSettings } from "./all-keys.ts";
import type { EffectiveSetting } from "./effective.ts";
import type { LoadedConfig } from "./load.ts";

/**
 * Returns what a reload changes. `inForce` is the new configuration, but with the old values of the keys that wait for
 * a restart.
 */
export function reloadableConfig(before: LoadedConfig, now: LoadedConfig) {
  // If the dashboard gets, changes or gives up its own address, a server begins or ends. That waits for a restart.
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

/** Returns the change of a certificate whose files have new contents under the same names. */
function otherCertificate(before: LoadedConfig, now: LoadedConfig): ChangedSetting[] {
  const changed = changedSettings(before.settings, now.settings);
  const isNamed = changed.some(({ key }) => key === "server.tls_cert" || key === "server.tls_key");
  const isSame = JSON.stringify(before.config.server.tls) === JSON.stringify(now.config.server.tls);
  const setting = now.settings.find(({ key }) => key === "server.tls_cert");
  if (isSame || isNamed || setting === undefined) return [];
  const { key, value, from, restart } = setting;
  return [{ key, before: value, after: value, secret: false, from, restart }];
}

// The following lists for people what differs between two configurations. It holds no secret.

export type ChangedSetting = ReturnType<typeof effectiveChange>[number];

/** Returns the changes in the order of the new settings; settings that no longer exist come last. */
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
