// The configuration in force, which a reload replaces, and what neither log nor page may show of it.

import { formatFault } from "../../config/fault.ts";
import type { Loaded, LoadedConfig } from "../../config/load.ts";
import { type ChangedSetting, changedSettings } from "../../config/reloadable.ts";
import { maskKeys } from "../../domain/api-key.ts";
import type { KeptDestination } from "../../domain/settings/policy.ts";
import type { ChangedKey } from "../../engine/reloads.ts";
import type { OnDisk, SettingsInForce } from "../../web/settings/setting.ts";

export type InForce = ReturnType<typeof createInForce>;

/** `readNow`: as a start would, with these kept destinations. */
export function createInForce(first: LoadedConfig, readNow: (kept: readonly KeptDestination[]) => Loaded) {
  let loaded = first;
  let kept: () => readonly KeptDestination[] = () => [];
  /** Of every configuration that was read since the start: a log line may come late. */
  let secrets: ReadonlySet<string> = first.config.secrets;
  let redactNow = createRedactor([...secrets]);
  const redact = (text: string): string => redactNow(text);
  const hidden = (text: string | null): string | null => (text === null ? null : redact(text));
  const shown = ({ restart: _, ...change }: ChangedSetting): ChangedKey => ({
    ...change,
    before: hidden(change.before),
    after: hidden(change.after),
  });

  function readWith(destinations: readonly KeptDestination[]): Loaded {
    const now = readNow(destinations);
    if ("config" in now && !now.config.secrets.isSubsetOf(secrets)) {
      secrets = secrets.union(now.config.secrets);
      redactNow = createRedactor([...secrets]);
    }
    return now;
  }

  /** Leaves out a kept destination that the configuration no longer suits, so that it stops no start. */
  function read(): Loaded {
    const all = kept();
    const whole = readWith(all);
    if ("config" in whole) return whole;
    const sound = all.filter(({ name }) => whole.faults.every(({ key }) => settingOf(name, key) === null));
    return sound.length === all.length ? whole : readWith(sound);
  }

  /** Kept destinations that neither it nor the configuration has: what was written no longer suits them. */
  const leftOut = ({ config }: LoadedConfig): string[] =>
    kept().flatMap(({ name }) => (config.destinations.has(name) ? [] : [name]));

  function onDisk(): OnDisk {
    const now = read();
    if ("faults" in now) return { kind: "faulty", faults: now.faults.map(formatFault) };
    return { kind: "read", changes: changedSettings(loaded.settings, now.settings).map(shown) };
  }

  const settings: SettingsInForce = {
    // A secret may stand in another key too, by mistake or because two are the same.
    get settings() {
      return loaded.settings.map((setting) => ({ ...setting, value: hidden(setting.value) }));
    },
    get sources() {
      return loaded.sources;
    },
    onDisk,
  };
  const replace = (next: LoadedConfig): void => {
    loaded = next;
  };
  /** From now on these destinations count too. Where there are none, what was read holds. */
  const keep = (destinations: () => readonly KeptDestination[]): void => {
    kept = destinations;
    if (kept().length === 0) return;
    const now = read();
    if ("config" in now) loaded = now;
  };
  return { loaded: () => loaded, read, readWith, leftOut, keep, replace, redact, shown, settings };
}

/** What the key sets of this destination, empty for all of it; null: it is a key of something else. */
export function settingOf(name: string, key: string): string | null {
  const whole = `destinations.${name}`;
  if (key === whole) return "";
  return key.startsWith(`${whole}.`) ? key.slice(whole.length + 1) : null;
}

// Takes secrets out of text that people or machines will read: API keys anywhere, and the given strings (destination
// URLs, passwords). Does not know what a text is about, and hides too much rather than too little.

/** Leaves shorter secrets alone: hiding every `a` would ruin the text and reveal that the secret is `a`. */
const SECRET_LENGTH_MIN = 4;

/**
 * A function that hides API keys as `ck_app_***` and each of `secrets` as `***`, in every form that libraries' messages
 * use: as given, as a normalized URL, the part of a URL after its host, percent-encoded, JSON-quoted and in base64.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .flatMap(formsOf)
    .filter((form) => form.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
  const known =
    forms.length === 0 ? null : new RegExp([...new Set(forms)].map((form) => RegExp.escape(form)).join("|"), "g");
  return (text) => {
    const withoutSecrets = known === null ? text : text.replace(known, "***");
    return maskKeys(withoutSecrets);
  };
}

function formsOf(secret: string): string[] {
  const whole = [secret, ...urlForms(secret)];
  return whole.flatMap((form) => [
    form,
    encodeURIComponent(form.toWellFormed()),
    JSON.stringify(form).slice(1, -1),
    Buffer.from(form).toString("base64").replace(/=+$/, ""),
  ]);
}

function urlForms(secret: string): string[] {
  const url = URL.parse(secret);
  if (url === null || url.host === "") return [];
  const behindHost = url.pathname + url.search;
  return behindHost === "/" ? [url.href] : [url.href, behindHost];
}
