// The one table of operations, walked: each has its command and its help, refuses what is wrong by naming the field,
// and answers what its schema says.

import { describe, expect, test } from "bun:test";
import Type, { type TSchema } from "typebox";
import { runOperation } from "../src/cli/asking/operation-commands.ts";
import type { Registry } from "../src/domain/monitor/reconcile.ts";
import { NOTHING_DECLARED } from "../src/domain/settings/declared.ts";
import { annotationsOf } from "../src/engine/operations/fields.ts";
import type { Operation } from "../src/engine/operations/operation.ts";
import { GROUPS, OPERATIONS, type OperationName } from "../src/engine/operations/operations.ts";
import { NO_INPUT } from "./support/command-line.ts";
import { openPlace, openRunning } from "./support/commands.ts";
import { ping } from "./support/engine.ts";
import { ASKED, furnish } from "./support/furnished.ts";
import { managedService } from "./support/management.ts";
import { granted } from "./support/service.ts";

const ALL = Object.entries(OPERATIONS) as [OperationName, Operation][];
const WITH_COMMAND = ALL.filter(([, { noCommand }]) => noCommand === undefined);

const registry: Registry = {
  source: "cron",
  version: "1.2",
  authoritative: true,
  entries: [
    { key: "declared", declared: { ...NOTHING_DECLARED, schedule: "0 3 * * *" }, metadata: '{"host":"a"}' },
    { key: "faulty", error: "schedule: it is nonsense", blocksRemoval: true },
  ],
};

/** A value of another type than the field's. */
const wrongFor = (field: TSchema): unknown =>
  Type.IsBoolean(field) ? "yes" : Type.IsInteger(field) ? "many" : { no: 1 };

describe("every operation", () => {
  const managed = managedService();

  test("is in a group of commands that says what it is for", () => {
    const groups = new Set(ALL.map(([name]) => name.split(" ")[0]));
    expect([...groups].toSorted()).toEqual(Object.keys(GROUPS).toSorted());
  });

  test.each(ALL)("%s refuses a field that it does not know, and changes nothing", async (name) => {
    expect(await managed.ask(name, { ...ASKED[name], gracePeriod: 60 })).toEqual({
      status: 400,
      body: { error: "INVALID_REQUEST", message: expect.stringMatching(/^gracePeriod: it is unknown, /) },
    });
    expect(managed.service.count("applications") + managed.service.count("monitors")).toBe(1);
  });

  test.each(
    ALL.flatMap(([name, { input }]) =>
      Object.entries(input.properties).map(([field, schema]) => [name, field, schema] as const),
    ),
  )("%s refuses %s of a wrong type, and says what it must be", async (name, field, schema) => {
    expect(await managed.ask(name, { ...ASKED[name], [field]: wrongFor(schema) })).toEqual({
      status: 400,
      body: {
        error: "INVALID_REQUEST",
        message: expect.stringMatching(new RegExp(`^${field}: .+ is refused, it must be (an?|one|true) .+`)),
      },
    });
  });

  test.each(
    ALL.flatMap(([name, { input }]) =>
      Object.entries(input.properties)
        .filter(([, schema]) => annotationsOf(schema).default === undefined)
        .map(([field]) => [name, field] as const),
    ),
  )("%s refuses to do without %s", async (name, field) => {
    expect(await managed.ask(name, { ...ASKED[name], [field]: null })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(new RegExp(`^${field}: it is missing, it must be `)) },
    });
  });

  test("answers what its schema says, times as ISO 8601", async () => {
    const { service } = managed;
    await furnish(service);
    await service.send(ping({ kind: "start", runId: "a" }));
    await service.send(ping({ kind: "fail", runId: "a", message: "disk full" }));
    const { caller } = ping();
    service.engine.intake.refused({
      caller,
      monitorKey: "job",
      kind: "fail",
      refusal: { refusal: "NOT_FOUND", message: "no" },
    });
    service.endTurns();
    service.engine.intake.sync(caller, registry);
    for (const [name, asked] of Object.entries(ASKED) as [OperationName, object][]) {
      const { status, body } = await managed.ask(name, asked);
      expect({ name, status, body }).toMatchObject({ name, status: 200 });
    }
  });
});

describe("every command made from an operation", () => {
  test.each(WITH_COMMAND)("%s has a help with its line, its fields and an example", async (name, operation) => {
    using place = openPlace();
    const { out, exitCode } = await place.run(...name.split(" "), "--help");
    expect(exitCode).toBe(0);
    const said = out.replaceAll(/\s+/g, " ");
    expect(said).toContain(operation.summary);
    expect(said).toContain(`$ rollcall ${name}`);
    for (const field of Object.values(operation.input.properties)) {
      const { description = "", argument, option, options = {} } = annotationsOf(field);
      expect(argument ?? option ?? Object.keys(options)[0]).toBeDefined();
      if (option !== undefined) expect(said).toContain(`--${option}`);
      for (const [word, meaning] of Object.entries(options)) {
        expect(said).toContain(`--${word.replace("_", "-")} ${meaning}`);
      }
      if (Object.keys(options).length === 0) expect(said).toContain(description);
    }
  });

  test.each(WITH_COMMAND)("%s refuses an option that it does not know: exit code 2", async (name) => {
    using place = openPlace();
    const required = name === "monitor create" ? ["--schedule", "0 2 * * *"] : [];
    const { err, exitCode } = await place.run(...name.split(" "), ...required, "--nonsense");
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining("--nonsense") });
  });

  test("an operation that has no screen of its own is shown as JSON", async () => {
    await using place = openRunning();
    granted(place.service.engine.operate("notify test", { destination: "hook" }));
    const out: string[] = [];
    const io = {
      out: (line: string) => void out.push(line),
      err: () => {},
      width: null,
      color: false,
      input: NO_INPUT,
    };
    const caller = { args: [], flags: { config: place.config }, environment: {}, io };
    expect(await runOperation(caller, "notify show", { id: 1 }, null)).toBe(0);
    expect(JSON.parse(out.join("\n"))).toMatchObject({ id: 1, destination: "hook", state: "waiting" });
  });

  test("an operation without one says why", async () => {
    const without = ALL.filter(([, { noCommand }]) => noCommand !== undefined);
    expect(without.map(([name]) => name)).toEqual([
      "import",
      "import preview",
      "destination trial",
      "notify show",
      "config addresses",
      "reload show",
      "backup show",
    ]);
    using place = openPlace();
    expect((await place.run("notify", "--help")).out).not.toContain("show");
  });
});
