// `/settings`: each setting with its value and where that comes from. Nothing can be changed here.

import { counted } from "../../domain/wording/spoken-time.ts";
import { Document } from "../document.tsx";
import type { Look } from "../look.ts";
import type { Viewer } from "../viewer.ts";
import type { Setting, SettingsInForce } from "./setting.ts";

export const SETTINGS_PATH = "/settings";

interface SettingsProps extends SettingsInForce {
  readonly viewer: Viewer;
  readonly look: Look;
}

export const SettingsPage = ({ settings, sources, viewer, look }: SettingsProps) => {
  const chosen = settings.filter(({ from }) => from !== null).length;
  const groups = Map.groupBy(settings, ({ key }) => key.split(".")[0]!);
  return (
    <Document title="Settings" tone="quiet" viewer={viewer} look={look} path={SETTINGS_PATH}>
      <div class="head">
        <h1 class="headline is-quiet">
          {chosen === 0
            ? "Every setting has its default."
            : `${counted(chosen, "setting")} chosen, all others by default.`}
        </h1>
      </div>
      <p class="note lead">
        {sources.length === 0 ? "No file and no variable was read. " : `Read at the start from ${sources.join(", ")}. `}
        To change one, edit it there, run <code>rollcall config check</code> and restart rollcall.
      </p>
      {[...groups].map(([group, own]) => (
        <section key={group} class="group" aria-labelledby={`settings-${group}`}>
          <h2 class="group-head" id={`settings-${group}`}>
            {group}
          </h2>
          <ul class="settings">
            {own.map((setting) => (
              <SettingRow key={setting.key} setting={setting} />
            ))}
          </ul>
        </section>
      ))}
    </Document>
  );
};

const SettingRow = ({ setting }: { setting: Setting }) => {
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

const InForce = ({ value, secret }: Setting) => {
  if (secret) return <span class="note">set, and not shown</span>;
  if (value === null) return <span class="note">left out</span>;
  return value === "" ? <span class="note">none</span> : <code>{value}</code>;
};
