// docs/prometheus taken at its word: Prometheus' own tool reads the alert rules, proves them and reads the queries of
// the dashboard, and they ask for nothing that `/metrics` does not have. A real Prometheus scrapes the executable.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FAMILIES } from "../src/http/metrics/families.ts";
import { isInstalled } from "./support/clients.ts";
import { firstKeyOf, openFolder, ROOT, report, until } from "./support/executable.ts";
import { freePort } from "./support/free-port.ts";

setDefaultTimeout(120_000);

const FILES = join(ROOT, "docs/prometheus");

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const textOf = (file: string): string => readFileSync(join(FILES, file), "utf8");
const PANELS = (JSON.parse(textOf("grafana-dashboard.json")) as { panels: readonly Panel[] }).panels;
const QUERIES = PANELS.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
const ALERTS = [...textOf("rollcall.rules.yml").matchAll(/- alert: (\S+)\n +expr: (.+)/g)].map(
  ([, title = "", expr = ""]) => ({ title, expr }),
);

/** As Grafana fills in what only it knows. */
const filledIn = (expr: string): string => expr.replaceAll("$instance", ".*").replaceAll("$__rate_interval", "5m");

async function promtool(args: readonly string[]): Promise<{ readonly exitCode: number; readonly said: string }> {
  const tool = Bun.spawn(["promtool", ...args], { stdout: "pipe", stderr: "pipe" });
  const said = (await new Response(tool.stdout).text()) + (await new Response(tool.stderr).text());
  return { exitCode: await tool.exited, said };
}

describe("the alert rules and the dashboard", () => {
  test("there are some", () => {
    expect(ALERTS.length).toBeGreaterThanOrEqual(10);
    expect(QUERIES.length).toBeGreaterThanOrEqual(20);
  });

  test.each([...ALERTS, ...QUERIES])("$title asks only for what /metrics has: $expr", ({ expr }) => {
    const known = new Set([
      "up",
      ...FAMILIES.flatMap(({ name, type }) =>
        type === "histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : [name],
      ),
    ]);
    const asked = [...expr.matchAll(/\b(?:up|(?:rollcall|process)_\w+)\b/g)].map(([name]) => name);
    expect(asked).not.toEqual([]);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });

  test("each alert has a test, which names what is not yet and what is then", () => {
    const proofs = textOf("rollcall.rules.test.yml");
    const proved = [...proofs.matchAll(/- name: (\S+)/g)].map(([, name]) => name);
    expect(proved).toEqual(ALERTS.map(({ title }) => title));
    for (const { title } of ALERTS) expect(proofs.split(`alertname: ${title}\n`)).toHaveLength(3);
  });

  test.skipIf(!isInstalled("promtool"))("promtool reads the rules, and proves each alert", async () => {
    const checked = await promtool(["check", "rules", join(FILES, "rollcall.rules.yml")]);
    expect(checked).toMatchObject({ exitCode: 0, said: expect.stringContaining(`${ALERTS.length} rules found`) });
    expect(await promtool(["test", "rules", join(FILES, "rollcall.rules.test.yml")])).toMatchObject({ exitCode: 0 });
    expect(await promtool(["check", "config", join(FILES, "prometheus.yml")])).toMatchObject({ exitCode: 0 });
  });

  test.skipIf(!isInstalled("promtool"))("promtool reads every query of the dashboard", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-queries-"));
    try {
      const rules = QUERIES.map(
        ({ expr }, place) => `      - record: query:${place}\n        expr: ${JSON.stringify(filledIn(expr))}\n`,
      );
      const file = join(folder, "queries.yml");
      writeFileSync(file, `groups:\n  - name: dashboard\n    rules:\n${rules.join("")}`);
      expect(await promtool(["check", "rules", file])).toMatchObject({
        exitCode: 0,
        said: expect.stringContaining(`${QUERIES.length} rules found`),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test.skipIf(!isInstalled("prometheus"))(
  "a real Prometheus with these files scrapes the executable, and its alerts are quiet",
  async () => {
    // Without a destination it is not ready, and an alert says so.
    const destination = `[destinations.chat]\ntype = "slack"\nurl = "http://127.0.0.1:4/"\n`;
    await using folder = openFolder({ "rollcall.toml": `[team]\ndestinations = ["chat"]\n${destination}` });
    const service = await folder.serve();
    expect(await report(service, firstKeyOf(service), "backup", "?schedule=0+3+*+*+*")).toBe(200);
    const home = join(folder.path, "prometheus");
    mkdirSync(home);
    cpSync(FILES, home, { recursive: true });
    const config = textOf("prometheus.yml")
      .replace("127.0.0.1:8787", new URL(service.url).host)
      .replace("scrape_interval: 30s", "scrape_interval: 1s");
    writeFileSync(join(home, "prometheus.yml"), `global:\n  evaluation_interval: 1s\n${config}`);
    const port = freePort();
    const prometheus = Bun.spawn(
      [
        "prometheus",
        "--config.file=prometheus.yml",
        `--web.listen-address=127.0.0.1:${port}`,
        "--storage.tsdb.path=series",
      ],
      { cwd: home, stdout: "ignore", stderr: "ignore" },
    );
    try {
      const ask = async (path: string): Promise<unknown> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => null);
        return answer === null || !answer.ok ? null : ((await answer.json()) as { data: unknown }).data;
      };
      const series = async (query: string): Promise<readonly unknown[]> => {
        const data = (await ask(`query?query=${encodeURIComponent(query)}`)) as { result: unknown[] } | null;
        return data?.result ?? [];
      };
      const [status] = await until("the monitor in Prometheus", async () => {
        const found = await series('rollcall_monitor_status{monitor="backup"}');
        return found.length === 0 ? null : found;
      });
      expect(status).toMatchObject({ metric: { application: "default", status: "healthy", job: "rollcall" } });
      const rules = await until("the rules to be evaluated", async () => {
        const data = (await ask("rules")) as {
          groups: { rules: { lastEvaluation: string; health: string }[] }[];
        } | null;
        const all = data?.groups.flatMap((group) => group.rules) ?? [];
        return all.length > 0 && all.every(({ health }) => health !== "unknown") ? all : null;
      });
      expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
      expect(rules).toHaveLength(ALERTS.length);
      expect(await ask("alerts")).toEqual({ alerts: [] });
    } finally {
      prometheus.kill("SIGKILL");
      await prometheus.exited;
    }
  },
);
