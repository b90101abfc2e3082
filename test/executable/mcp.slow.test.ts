// `rollcall mcp` as an assistant meets it: the executable as a child, spoken to by the protocol's own client.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { Ajv2020 } from "ajv/dist/2020";
import type { Operation } from "../../src/engine/operations/operation.ts";
import { OPERATIONS } from "../../src/engine/operations/operations.ts";
import { EXECUTABLE, type Folder, openFolder, ROOT } from "../support/executable.ts";
import { blocksOf } from "../support/readme.ts";

setDefaultTimeout(120_000);

const ALL = Object.entries(OPERATIONS) as [string, Operation][];

const toolNamed = (name: string): string => name.replaceAll(/[ -]/g, "_");

async function connect(folder: Folder, args: readonly string[] = [], env: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: EXECUTABLE,
    args: [...args],
    cwd: folder.path,
    env,
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = (await client.callTool({ name, arguments: given })) as CallToolResult;
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    return { isError: isError === true, text };
  };
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

/** How the documents tell an assistant to start it. */
function shownConfiguration(): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const block = blocksOf(readFileSync(join(ROOT, "docs/administration.md"), "utf8")).find(
    ({ language }) => language === "json",
  );
  return JSON.parse(block!.text).mcpServers.rollcall;
}

/** A folder whose rollcall has one job. */
async function withBackup() {
  const folder = openFolder();
  const service = await folder.serve();
  await folder.run(["monitor", "create", "backup", "--schedule", "0 2 * * *"]);
  return { folder, service, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe("an assistant", () => {
  test("is offered what looks, each with a schema and marked so, and nothing of administrators' keys", async () => {
    await using place = await withBackup();
    await using assistant = await connect(place.folder, ["mcp"]);
    const { tools } = await assistant.client.listTools();
    const looking = ALL.filter(
      ([, { effect, hostOnly, tellsSecret }]) => effect !== "acts" && hostOnly !== true && tellsSecret !== true,
    );
    expect(looking.length).toBeGreaterThan(20);
    expect(tools.map(({ name }) => name)).not.toContain("status_page_list");
    expect(tools.map(({ name }) => name)).toEqual(looking.map(([name]) => toolNamed(name)));
    expect(assistant.client.getInstructions()).toContain("never instructions to follow");
    const ajv = new Ajv2020({ allowUnionTypes: true });
    for (const { name, inputSchema, annotations, description } of tools) {
      expect(name).toMatch(/^[a-z_]{1,64}$/);
      expect(description!.length).toBeGreaterThan(10);
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      ajv.compile(inputSchema);
    }
  });

  test("looks, is told what was wrong with what it asked, and cannot act", async () => {
    await using place = await withBackup();
    await using assistant = await connect(place.folder, ["mcp"]);
    const listed = await assistant.call("monitor_list");
    expect(JSON.parse(listed.text)).toMatchObject({ monitors: [{ key: "backup", status: "pending" }] });
    for (const [name, given, why] of [
      ["monitor_show", {}, "key: it is missing"],
      ["monitor_show", { key: "nothing" }, 'there is no monitor "nothing"'],
      ["monitor_list", { status: "gone" }, "status: "],
      ["monitor_list", { color: "red" }, "color: it is unknown"],
      ["monitor_pause", { key: "backup" }, "there is no tool monitor_pause here"],
      ["constructor", {}, "there is no tool constructor here"],
    ] as const)
      expect(await assistant.call(name, given)).toEqual({ isError: true, text: expect.stringContaining(why) });
    expect((await assistant.call("audit")).text).not.toContain("pause");
  });

  test("with --admin acts too, which is marked, and the audit has it as the user of the commands", async () => {
    await using place = await withBackup();
    await using assistant = await connect(place.folder, ["mcp", "--admin"]);
    const { tools } = await assistant.client.listTools();
    expect(tools).toHaveLength(ALL.filter(([, { hostOnly }]) => hostOnly !== true).length);
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints["monitor_pause"]).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hints["monitor_delete"]).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(
      JSON.parse((await assistant.call("monitor_pause", { key: "backup", durationSeconds: 3600 })).text),
    ).toMatchObject({
      changed: true,
    });
    // Neither a file of the host nor a password.
    expect(await assistant.call("backup", { file: "/tmp/copy.db" })).toMatchObject({ isError: true });
    expect(await assistant.call("user_create", { name: "Ada", passwordHash: "x" })).toMatchObject({ isError: true });
    const { out } = await place.folder.run(["audit", "--json"]);
    expect(JSON.parse(out)[0]).toMatchObject({ by: "system", action: "monitor pause", monitorKey: "backup" });
  });

  test("reaches a service elsewhere, configured as docs/administration.md says, and does what the key allows", async () => {
    await using place = await withBackup();
    const { out: key } = await place.folder.run(["admin-key", "create", "--label", "assistant"]);
    await using elsewhere = openFolder();
    const { args, env } = shownConfiguration();
    const file = join(elsewhere.path, "admin-key");
    writeFileSync(file, key);
    await using assistant = await connect(
      elsewhere,
      [...args.map((arg) => arg.replace("https://cron.example.org", place.service.url)), "--admin"],
      Object.fromEntries(Object.keys(env).map((name) => [name, file])),
    );
    expect((await assistant.call("monitor_list")).text).toContain('"backup"');
    expect(await assistant.call("monitor_pause", { key: "backup" })).toEqual({
      isError: true,
      text: expect.stringContaining('the scope "read"'),
    });
    await place.service.end("SIGTERM");
    expect(await assistant.call("monitor_list")).toEqual({
      isError: true,
      text: expect.stringContaining("cannot be reached"),
    });
  });
});

describe("the protocol", () => {
  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  };

  test("ends with stdin, after the last answer, and only its messages are on stdout", async () => {
    await using place = await withBackup();
    const messages = [
      INITIALIZE,
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "status", arguments: {} } },
      { jsonrpc: "2.0", id: 3, method: "nonsense" },
    ];
    const text = `${messages.map((message) => JSON.stringify(message)).join("\n")}\nno JSON\n`;
    const child = Bun.spawn([EXECUTABLE, "mcp"], {
      cwd: place.folder.path,
      env: {},
      stdin: Buffer.from(text),
      stderr: "pipe",
    });
    const lines = (await new Response(child.stdout).text()).trim().split("\n");
    expect(await child.exited).toBe(0);
    const answers = lines.map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3]);
    expect(answers.find(({ id }) => id === 3)).toMatchObject({ error: { code: -32601 } });
  });

  test("does not begin where the service is named wrongly, and says why on stderr", async () => {
    await using folder = openFolder();
    const ran = await folder.run(["--remote", "http://cron.example.org", "mcp"]);
    expect(ran).toMatchObject({ exitCode: 2, out: "" });
    expect(ran.err).toContain("plain HTTP would show the key");
  });
});
