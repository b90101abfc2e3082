// The tiles and sensors of docs/administration.md: the request that each makes is taken by the executable with a key
// that may only look, and the fields that it shows are in the answer.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder, ROOT, type Service } from "./support/executable.ts";
import { blocksOf } from "./support/readme.ts";

setDefaultTimeout(120_000);

const BLOCKS = blocksOf(readFileSync(join(ROOT, "docs/administration.md"), "utf8"))
  .filter(({ language }) => language === "yaml")
  // A tag that Home Assistant alone knows; the value stands in another file.
  .map(({ text }) => Bun.YAML.parse(text.replace(/!secret (\S+)/, '"{{$1}}"')) as Record<string, never>[]);

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function ask(service: Service, { url, method, headers }: Asked, key: string): Promise<unknown> {
  const local = url.replace("https://cron.example.org", service.url);
  const authorization = headers["Authorization"]!.replace(/(?:Bearer )?\{\{.*\}\}/, `Bearer ${key}`);
  const answer = await fetch(local, { method, headers: { authorization } });
  expect(answer.status).toBe(200);
  return await answer.json();
}

const valueAt = (answer: unknown, path: string): unknown =>
  path.split(".").reduce((found, name) => (found as Record<string, unknown>)[name], answer);

test("Homepage and Home Assistant ask for what is there, with a key that may only look", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  const made = await folder.run(["admin-key", "create"]);
  expect(made.exitCode).toBe(0);
  const key = made.out.split("\n")[0]!;
  expect((await folder.run(["monitor", "create", "backup", "--schedule", "0 3 * * *"])).exitCode).toBe(0);

  const [homepage, homeAssistant] = BLOCKS as unknown as [
    [{ Home: [{ rollcall: { widget: Asked & { mappings: { field: Record<string, string> }[] } } }] }],
    {
      rest: [
        Omit<Asked, "url"> & { resource: string } & Record<"sensor" | "binary_sensor", { value_template: string }[]>,
      ];
    },
  ];
  const [{ rollcall }] = homepage[0].Home;
  const seen = await ask(service, rollcall.widget, key);
  const fields = rollcall.widget.mappings.map(({ field }) => Object.entries(field).flat().join("."));
  expect(fields.map((field) => [field, typeof valueAt(seen, field)])).toEqual([
    ["counts.critical", "number"],
    ["counts.warning", "number"],
    ["counts.healthy", "number"],
  ]);

  const [rest] = homeAssistant.rest;
  const sensed = await ask(service, { ...rest, url: rest.resource }, key);
  const templates = [...rest.sensor, ...rest.binary_sensor].map(({ value_template }) => value_template);
  const asked = templates.map((template) => /value_json\.([\w.]+)/.exec(template)![1]!);
  expect(asked).toEqual(["counts.critical", "counts.warning", "failing"]);
  expect(asked.map((field) => valueAt(sensed, field))).toEqual([0, 0, []]);
});
