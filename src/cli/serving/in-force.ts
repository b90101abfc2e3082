// The configuration in force, which a reload replaces: for parts that look at it later, for people who look at it, and what
// neither log nor page may show of it.

import { type ChangedSetting, changedSettings } from "../../config/changed.ts";
import { formatFault } from "../../config/fault.ts";
import type { Loaded, LoadedConfig } from "../../config/load.ts";
import type { ChangedKey } from "../../engine/reloads.ts";
import type { OnDisk, SettingsInForce } from "../../web/settings/setting.ts";
import { createHiding } from "./redact.ts";

export interface InForce {
  loaded(): LoadedConfig;
  /** What a start would read now. */
  read(): Loaded;
  replace(loaded: LoadedConfig): void;
  /** Hides the secrets of every configuration that was read since the start: a log line may come late. */
  readonly redact: (text: string) => string;
  /** The change without secrets. */
  readonly shown: (change: ChangedSetting) => ChangedKey;
  /** For pages: always of what is in force when they look. */
  readonly settings: SettingsInForce;
}

/** `readNow`: as a start would. */
export function createInForce(first: LoadedConfig, readNow: () => Loaded): InForce {
  const hiding = createHiding();
  hiding.add(first.config.secrets);
  const { redact } = hiding;
  let loaded = first;
  const hidden = (text: string | null): string | null => (text === null ? null : redact(text));
  const shown = ({ restart: _, ...change }: ChangedSetting): ChangedKey => ({
    ...change,
    before: hidden(change.before),
    after: hidden(change.after),
  });

  function read(): Loaded {
    const now = readNow();
    if ("config" in now) hiding.add(now.config.secrets);
    return now;
  }

  /** Beside what is in force. */
  function onDisk(): OnDisk {
    const now = read();
    if ("faults" in now) return { kind: "faulty", faults: now.faults.map(formatFault) };
    return { kind: "read", changes: changedSettings(loaded.settings, now.settings).map(shown) };
  }

  return {
    loaded: () => loaded,
    read,
    replace: (next) => {
      loaded = next;
    },
    redact,
    shown,
    settings: {
      // A secret may stand in another key too, by mistake or because two are the same.
      get settings() {
        return loaded.settings.map((setting) => ({ ...setting, value: hidden(setting.value) }));
      },
      get sources() {
        return loaded.sources;
      },
      onDisk,
    },
  };
}
