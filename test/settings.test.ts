// Every setting of the table, on each of the ways on which it may be set, and where it is shown: whoever forgets a
// place for a new one is told which.

import { describe, expect, test } from "bun:test";
import { policyOfConfig } from "../src/config/read-policy.ts";
import {
  DECLARED_FIELDS,
  DECLARED_SETTINGS,
  type DeclaredField,
  SETTINGS,
  settingOption,
  type ValueOf,
} from "../src/domain/settings/settings.ts";
import { settingInWords } from "../src/domain/wording/setting-words.ts";
import { documentText } from "../src/http/openapi/openapi.ts";
import { rollcall } from "./support/command-line.ts";
import { openRunning, type Running } from "./support/commands.ts";
import { configIn, withToml } from "./support/config-world.ts";
import { ask, basic } from "./support/http-client.ts";
import { operationsOf, type Schema } from "./support/openapi-document.ts";
import { startPublicServer } from "./support/public-server.ts";
import { granted } from "./support/service.ts";

/** A value of each that is nobody's default, and how people see it. */
const SAMPLES: { readonly [Field in DeclaredField]: { readonly value: ValueOf<Field>; readonly seen: string } } = {
  schedule: { value: "30 2 * * *", seen: "30 2 * * *" },
  everySeconds: { value: 90_000, seen: "25 h" },
  name: { value: "Payroll of the month", seen: "Payroll of the month" },
  timezone: { value: "Asia/Tokyo", seen: "Asia/Tokyo" },
  graceSeconds: { value: 420, seen: "7 min" },
  maxRuntimeSeconds: { value: 540, seen: "9 min" },
  alertAfterMisses: { value: 3, seen: "3" },
  alertAfterFailures: { value: 4, seen: "4" },
  severity: { value: "critical", seen: "critical" },
  labels: { value: "db nightly", seen: "db nightly" },
  note: { value: "Restart the array first: https://wiki.example.org/array", seen: "Restart the array first" },
  mailRule: { value: "proxmox; else: failure", seen: "proxmox; else: failure" },
};

/** As durations are written in the configuration and on the command line. */
const written = (field: DeclaredField): string =>
  ["seconds", "interval"].includes(DECLARED_SETTINGS[field].kind)
    ? `${SAMPLES[field].value}s`
    : String(SAMPLES[field].value);

/** What makes the monitor, with the setting in its place. An interval stands for a schedule (R44). */
const withSchedule = <Named extends string>(named: Named, value: string | number) =>
  ({ ...(named === "every" ? {} : { schedule: "0 4 * * *" }), [named]: value }) as Readonly<
    Record<string, string | number>
  >;

const sayings = (field: DeclaredField, by: "parameter" | "key" = "parameter") =>
  withSchedule(
    DECLARED_SETTINGS[field][by] ?? field,
    DECLARED_SETTINGS[field].kind === "interval" ? written(field) : SAMPLES[field].value,
  );

const WAYS: Readonly<Record<string, (field: DeclaredField, place: Running, origin: string) => Promise<void>>> = {
  "a report": async (field, { service }, origin) => {
    const { key } = granted(service.engine.operate("key create", { application: "prod", scope: "all" }));
    const query = Object.entries(sayings(field)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    let status = 0;
    void ask(`${origin}/api/v1/ping/job/${key}?${query.join("&")}`).then((answer) => {
      status = answer.status;
    });
    for (let waits = 0; status === 0 && waits < 2_000; waits += 1) {
      await Bun.sleep(1);
      service.endTurns();
    }
    expect(status).toBe(200);
  },
  "a registry": async (field, { service }, origin) => {
    const { key } = granted(service.engine.operate("key create", { application: "prod", scope: "all" }));
    const body = JSON.stringify({
      source: "worker",
      monitors: [{ key: "job", ...sayings(field, field === "labels" ? "key" : "parameter") }],
    });
    const headers = { "content-type": "application/json", ...basic(key) };
    const { status, json } = await ask(`${origin}/api/v1/sync`, { method: "POST", headers, body });
    expect([status, json?.["errors"]]).toEqual([200, []]);
  },
  "monitor create": async (field, { run }) => {
    const options = Object.entries(withSchedule(settingOption(field), written(field)));
    const typed = options.flatMap(([name, value]) => [`--${name}`, String(value)]);
    expect(await run("monitor", "create", "job", ...typed)).toMatchObject({ exitCode: 0 });
  },
};

const shown = async ({ run }: Running) => JSON.parse((await run("monitor", "show", "job", "--json")).out);

describe.each(DECLARED_FIELDS.map((field) => [field]))("%s", (field) => {
  const { value, seen } = SAMPLES[field];

  const { parameter } = DECLARED_SETTINGS[field];
  // What only people declare, no report and no registry may.
  const ways = Object.keys(WAYS).filter((way) => parameter !== null || way === "monitor create");

  test.each(ways)("is declared by %s, kept, and shown as declared", async (way) => {
    await using place = openRunning();
    const server = startPublicServer(place.service.engine);
    await WAYS[way]!(field, place, server.url);
    await server.stop(0);
    const monitor = await shown(place);
    expect(monitor.settings[field]).toEqual({ value, from: "declared", declared: value });
    if (field in monitor) expect(monitor[field]).toBe(value);
    const { out } = await place.run("monitor", "show", "job");
    const line = out.split("\n").find((each) => each.startsWith(`${settingInWords(field)} `));
    expect(line).toContain(seen);
    expect(line).toContain("(declared");
  });

  test("R31: is set by the configuration, and shown as such", async () => {
    const settings = Object.entries(withSchedule(SETTINGS[field].key, written(field)));
    const inToml = (name: string, text: unknown) =>
      JSON.stringify(
        name === "labels"
          ? String(text).split(" ")
          : SETTINGS[field].kind === "count" && name === SETTINGS[field].key
            ? Number(text)
            : text,
      );
    const toml = settings.map(([name, text]) => `${name} = ${inToml(name, text)}`).join("\n");
    const policy = policyOfConfig(configIn(withToml(`[applications.prod.monitors.job]\n${toml}\n`)));
    await using place = openRunning(policy);
    const monitor = await shown(place);
    expect(monitor.settings[field]).toEqual({ value, from: "configuration", declared: null });
    if (field in monitor) expect(monitor[field]).toBe(value);
  });

  test("stands in the OpenAPI document, of reports and of registries, and in the help of `monitor create`", async () => {
    if (parameter === null) return;
    const operations = operationsOf(documentText());
    const heartbeats = operations.filter(({ path }) => path.endsWith("/ping/{monitor_key}"));
    const syncs = operations.filter(({ path }) => path.endsWith("/sync"));
    expect([heartbeats.length, syncs.length]).toEqual([4, 2]);
    for (const { parameters } of heartbeats) expect(parameters.map(({ name }) => name)).toContain(parameter);
    for (const { requestBody } of syncs) {
      const { monitors } = propertiesOf(requestBody?.content["application/json"]?.schema);
      expect(Object.keys(propertiesOf(monitors?.["items"]))).toContain(field === "labels" ? "labels" : parameter);
    }
    const { out } = await rollcall(["monitor", "create", "--help"]);
    expect(out).toContain(`--${settingOption(field)} <`);
  });
});

const propertiesOf = (schema: unknown) => (schema as { properties: Readonly<Record<string, Schema>> }).properties;
