// What of a configuration that was read anew comes into force while the service runs, and what waits for a restart. Pure.

import { type ChangedSetting, changedSettings } from "./changed.ts";
import type { Config, WebSettings } from "./config.ts";
import type { LoadedConfig } from "./load.ts";

export interface Reloadable {
  /** The new configuration, and of what waits the old. */
  readonly inForce: LoadedConfig;
  readonly changed: readonly ChangedSetting[];
  readonly waiting: readonly ChangedSetting[];
}

export function reloadable(before: LoadedConfig, now: LoadedConfig): Reloadable {
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
