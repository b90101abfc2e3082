// What people get to begin with, once: the first keys of applications that were just created, and the link for the
// first person.

import type { Config } from "../../config/keys.ts";
import { isRefusal } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import type { Io } from "../io.ts";
import type { FirstKeyFile } from "./first-key-file.ts";
import { announce, type FirstKey, firstKeyLines, firstLinkLines } from "./first-keys.ts";
import { zoneInWords } from "./home-zone.ts";

interface Greeting {
  readonly engine: RunningEngine;
  /** Slugs of applications that wait for their first key. */
  readonly keyless: readonly string[];
  /** Where jobs and people reach us; null: not known. */
  readonly addresses: { readonly jobs: string | null; readonly people: string | null };
  readonly timezone: string;
  readonly config: Config;
  readonly firstKeys: FirstKeyFile;
  /** Nobody looks at our output any more. */
  readonly isKept: boolean;
  readonly log: Log;
  readonly io: Io;
}

export function greet({ engine, keyless, addresses, timezone, config, firstKeys, isKept, log, io }: Greeting): void {
  const link = config.web === null ? null : engine.people.firstLink();
  if (keyless.length === 0 && link === null) return;
  const keys = keyless.flatMap((application): FirstKey[] => {
    const made = engine.as("host").operate("key create", { application });
    return isRefusal(made) ? [] : [{ application, key: made.key }];
  });
  const isLogged = isKept || process.env["JOURNAL_STREAM"] !== undefined || !process.stdout.isTTY;
  const ofKeys = keys.length === 0 ? [] : [...firstKeyLines(keys, addresses.jobs), zoneInWords(timezone), ""];
  const lines = [...ofKeys, ...(link === null ? [] : firstLinkLines(link, addresses.people))];
  const file = announce(lines, firstKeys, isLogged, io);
  if (file !== null) log("info", "first_key_written", { file, applications: keyless, link: link !== null });
}
