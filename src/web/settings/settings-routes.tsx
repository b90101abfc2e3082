// Serves `/settings`, which shows the configuration in force. The configuration concerns all applications, so only
// administrators who may see all of them get the page.

import { Elysia } from "elysia";
import { refuse } from "../../domain/errors.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { pageResponse } from "../document.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Head, SectionGroup } from "../parts/headline.tsx";
import { pageLine } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { viewerMayAs } from "../viewer.ts";
import type { DisplayedSetting, OnDisk, SettingsInForce } from "./setting.ts";

const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "the settings are for administrators of all applications");

const SETTINGS_PATH = "/settings";

export const settingsRoutes = (parts: PagesParts) =>
  new Elysia({ name: "settings" }).use(signedIn(parts)).get(SETTINGS_PATH, ({ asking }) => {
    const { viewer } = asking;
    return viewerMayAs(viewer, "admin") && viewer.applications === null
      ? settingsPage(asking, parts.inForce)
      : FOR_ADMINISTRATORS;
  });

function settingsPage(asking: Asking, { settings, sources, onDisk }: SettingsInForce): Response {
  const chosen = settings.filter(({ from }) => from !== null).length;
  const all = "Every setting has its default.";
  const said = chosen === 0 ? all : `${counted(chosen, "setting")} chosen, all others by default.`;
  const groups = Map.groupBy(settings, ({ key }) => key.split(".")[0]!);
  return pageResponse(
    asking,
    { title: "Settings", path: SETTINGS_PATH },
    <>
      <Head says={said} />
      <p class="note lead">
        {sources.length === 0 ? "No file and no variable was read. " : `Read from ${sources.join(", ")}. `}
        To change one, edit it there, run <code>{asking.commandLine} config check</code> and{" "}
        <code>{asking.commandLine} reload</code>.
      </p>
      <Waiting onDisk={onDisk()} commandLine={asking.commandLine} />
      {[...groups].map(([group, own]) => (
        <SectionGroup key={group} id={`settings-${group}`} name={group}>
          <ul class="settings">
            {own.map((setting) => (
              <SettingRow key={setting.key} setting={setting} />
            ))}
          </ul>
        </SectionGroup>
      ))}
    </>,
  );
}

const Waiting = ({ onDisk, commandLine }: { onDisk: OnDisk; commandLine: string }) => {
  if (onDisk.kind === "faulty")
    return (
      <section class="waiting is-bad" aria-labelledby="waiting">
        <h2 id="waiting">
          What is written now has {counted(onDisk.faults.length, "fault")}: rollcall would not start with it.
        </h2>
        <ul>
          {onDisk.faults.map((fault) => (
            <li key={fault}>
              <code>{pageLine(fault)}</code>
            </li>
          ))}
        </ul>
        <p class="note">rollcall goes on with what is in force.</p>
      </section>
    );
  const { changes } = onDisk;
  if (changes.length === 0) return <p class="note lead-in">What is written now is what is in force.</p>;
  return (
    <section class="waiting" aria-labelledby="waiting">
      <h2 id="waiting">
        {counted(changes.length, "setting")} written since and not in force: <code>{commandLine} reload</code> says
        which need a restart.
      </h2>
      <ul class="settings">
        {changes.map((change) => (
          <li key={change.key} class="setting">
            <div class="setting-name">
              <code>{change.key}</code>
            </div>
            <p class="setting-value">
              <Written value={change.before} secret={change.secret} /> →{" "}
              <Written value={change.after} secret={change.secret} />
            </p>
            <p class="note">{change.from ?? "default"}</p>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Written = ({ value, secret }: { value: string | null; secret: boolean }) => {
  if (secret) return <span class="note">a secret</span>;
  return value === null || value === "" ? <span class="note">left out</span> : <code>{pageLine(value)}</code>;
};

const SettingRow = ({ setting }: { setting: DisplayedSetting }) => {
  const { key, from, meaning } = setting;
  return (
    <li class={`setting${from === null ? "" : " is-chosen"}`}>
      <div class="setting-name">
        <code>{key.slice(key.indexOf(".") + 1)}</code>
        <p class="note">{meaning}</p>
      </div>
      <p class="setting-value">
        <InForce {...setting} />
      </p>
      <p class="note">{from ?? (setting.value === null ? "" : "default")}</p>
    </li>
  );
};

const InForce = ({ value, secret }: DisplayedSetting) => {
  if (secret) return <span class="note">set, and not shown</span>;
  if (value === null) return <span class="note">left out</span>;
  return value === "" ? <span class="note">none</span> : <code>{value}</code>;
};
