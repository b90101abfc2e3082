// Many instances, as docs/scaling.md tells it: a real HAProxy with the file as it stands leads the reports of each
// application to the instance that has it, wherever the key stands, and an instance that dies stops no other.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled } from "./support/clients.ts";
import {
  EXECUTABLE,
  type Folder,
  openFolder,
  type Ran,
  ROOT,
  report,
  type Service,
  until,
} from "./support/executable.ts";
import { type Keyed, type Place, type RunningProxy, reportsWith, startProxy } from "./support/proxy.ts";
import { blocksOf } from "./support/readme.ts";

setDefaultTimeout(120_000);

const BLOCKS = blocksOf(readFileSync(join(ROOT, "docs/scaling.md"), "utf8"));

function blockWith(text: string): string {
  const found = BLOCKS.filter((block) => block.text.includes(text));
  expect(found).toHaveLength(1);
  return found[0]!.text;
}

/** The instances by their names in the document, and the applications of each. */
const APPLICATIONS = { one: ["shop", "billing"], two: ["shop-eu"], three: ["ck", "7", "a-b-c"] } as const;
type Name = keyof typeof APPLICATIONS;
const NAMES = Object.keys(APPLICATIONS) as Name[];

interface Instance {
  readonly name: Name;
  readonly folder: Folder;
  readonly service: Service;
  /** A key of each of its applications. */
  readonly keys: ReadonlyMap<string, string>;
}

const UNLIMITED = { ROLLCALL_LIMITS__V1_PER_MINUTE: "0", ROLLCALL_LIMITS__ALIAS_PER_MINUTE: "0" };

async function startInstance(name: Name): Promise<Instance> {
  const applications = APPLICATIONS[name];
  const folder = openFolder({ "rollcall.toml": applications.map((slug) => `[applications.${slug}]\n`).join("") });
  const service = await folder.serve(UNLIMITED);
  const made = applications.map(async (slug) => {
    const { out } = await folder.run(["key", "create", slug]);
    return [slug, out.trim()] as const;
  });
  return { name, folder, service, keys: new Map(await Promise.all(made)) };
}

/** Runs the script that writes the map; `ssh` goes to the instance's folder here. */
async function writeMap(
  instances: readonly Pick<Instance, "name" | "folder">[],
): Promise<Ran & { readonly map: string | null }> {
  const { path } = instances[0]!.folder;
  const cases = instances.map(({ name, folder }) => `${name}) cd ${folder.path};;`);
  const ssh = `#!/bin/sh\ncase "$1" in ${cases.join(" ")} *) exit 255;; esac\nshift 5\nexec ${EXECUTABLE} "$@"\n`;
  for (const [name, text] of Object.entries({ ssh, "make-map": blockWith("applications.map.new") })) {
    writeFileSync(join(path, name), text);
    chmodSync(join(path, name), 0o755);
  }
  const env = { PATH: `${path}:${process.env["PATH"]}` };
  const shell = Bun.spawn([join(path, "make-map")], { cwd: path, env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()]);
  const file = join(path, "applications.map");
  return { exitCode: await shell.exited, out, err, map: existsSync(file) ? readFileSync(file, "utf8") : null };
}

function startHaproxy(instances: readonly Instance[], map: string): RunningProxy {
  const configure = ({ folder, port }: Place): string => {
    let text = blockWith("set-var(txn.key)")
      .replace(":443", `127.0.0.1:${port}`)
      .replace("/etc/haproxy/certificates/", `${folder}/both.pem`)
      .replace("/etc/haproxy/applications.map", `${folder}/applications.map`)
      .replace("/dev/log", "stdout format raw");
    for (const { name, service } of instances)
      text = text.replace(new RegExp(`(server ${name}) \\S+`), `$1 ${new URL(service.url).host}`);
    return text;
  };
  return startProxy(configure, (file) => ["haproxy", "-db", "-f", file], { "applications.map": map });
}

const send = (proxy: RunningProxy, { path, ...init }: Omit<Keyed, "where">): Promise<number | null> =>
  fetch(`https://127.0.0.1:${proxy.port}${path}`, {
    ...init,
    tls: { rejectUnauthorized: false },
    keepalive: false,
  }).then(
    ({ status }) => status,
    () => null,
  );

/** How many reports the instance has of each job of each application. */
const storedIn = ({ folder }: Pick<Instance, "folder">): string[] =>
  folder
    .rows(
      `SELECT a.slug || ' ' || m.key || ' ' || count(*) AS line FROM pings p JOIN monitors m ON m.id = p.monitor_id
       JOIN applications a ON a.id = m.application_id GROUP BY a.slug, m.key ORDER BY line`,
    )
    .map(({ line }) => String(line));

/** Of each application. */
const REPORTS = reportsWith("", "").length;

const REGISTER = "?schedule=0+3+*+*+*";

/** The reports of one application in every form, and beside them a job that is named like another's key. */
const reportsOf = (slug: string, key: string): Keyed[] => [
  ...reportsWith(key, `job-of-${slug}`, REGISTER),
  ...reportsWith(key, "ck_app_shop_x", REGISTER),
];

/** A scheduler's list and its status, with the key in every place where it may stand. */
function syncsOf(key: string): Omit<Keyed, "where">[] {
  const list = { body: JSON.stringify({ source: "wordpress", monitors: [] }), type: "application/json" };
  return (["Basic", "Bearer", "ApiKey"] as const).flatMap((scheme) => {
    const authorization = `${scheme} ${scheme === "Basic" ? btoa(`${key}:`) : key}`;
    const roots = scheme === "Basic" ? ["/api/v1/sync", "/api/sync"] : ["/api/sync"];
    return roots.flatMap((path) => [
      { method: "GET" as const, path: `${path}/status`, headers: { authorization } },
      { method: "POST" as const, path, headers: { authorization, "content-type": list.type }, body: list.body },
    ]);
  });
}

const isReady = isInstalled("haproxy") && isInstalled("jq");

test.skipIf(!isReady)(
  "HAProxy leads each application's reports to its instance, and one that dies stops no other",
  async () => {
    const instances = await Promise.all(NAMES.map(startInstance));
    try {
      const { map, ...ran } = await writeMap(instances);
      expect(ran).toEqual({ exitCode: 0, out: "", err: "" });
      if (map === null) throw new Error("there is no map");
      for (const { keys } of instances)
        for (const [slug, key] of keys) expect(map).not.toContain(key.slice(`ck_app_${slug}_`.length));

      await using proxy = startHaproxy(instances, map);
      await until("HAProxy", () => send(proxy, { method: "GET", path: "/healthz", headers: {} }));
      const all = instances.flatMap((instance) => [...instance.keys].map(([slug, key]) => ({ instance, slug, key })));
      const answers = await Promise.all(
        all.flatMap(({ slug, key }) => reportsOf(slug, key).map((report) => send(proxy, report))),
      );
      expect(answers.filter((status) => status !== 200)).toEqual([]);
      for (const instance of instances) {
        const expected = APPLICATIONS[instance.name].flatMap((slug) => [
          `${slug} ck_app_shop_x ${REPORTS}`,
          `${slug} job-of-${slug} ${REPORTS}`,
        ]);
        expect(storedIn(instance)).toEqual(expected.toSorted());
      }
      for (const { key } of all)
        for (const sync of syncsOf(key)) expect([sync.path, await send(proxy, sync)]).toEqual([sync.path, 200]);

      // A key in the path wins over a header, as in rollcall.
      const [shop, other] = [all[0]!, all.find(({ instance }) => instance.name === "three")!];
      const both = { method: "GET" as const, headers: { authorization: `Basic ${btoa(`${other.key}:`)}` } };
      expect(await send(proxy, { ...both, path: `/api/v1/ping/both/${shop.key}${REGISTER}` })).toBe(200);
      expect(storedIn(instances[0]!)).toContain("shop both 1");

      // Pages by the name of the instance, a key of an application that is nowhere at the last line.
      const pages = { method: "GET" as const, path: "/readyz", headers: { host: "three.cron.example.org" } };
      expect(await send(proxy, pages)).toBe(503);
      await instances[1]!.service.end("SIGKILL");
      const statuses = await Promise.all(all.map(({ slug, key }) => send(proxy, reportsOf(slug, key)[0]!)));
      expect(statuses).toEqual(all.map(({ instance }) => (instance.name === "two" ? 503 : 200)));
      const nowhere = { method: "GET" as const, path: "/api/v1/ping/job/ck_app_nowhere_0123456789", headers: {} };
      expect(await send(proxy, nowhere)).toBe(401);

      const written = await proxy.end();
      expect(written).toMatch(/ GET 503 .* three\/three --/);
      for (const { slug, key } of all) expect(written).not.toContain(key.slice(`ck_app_${slug}_`.length));
    } finally {
      await Promise.all(instances.map(({ folder }) => folder[Symbol.asyncDispose]()));
    }
  },
);

test.skipIf(!isReady)(
  "the map is not written when two instances have one application, or when one does not answer",
  async () => {
    await using one = openFolder({ "rollcall.toml": "[applications.shop]\n" });
    await using two = openFolder({ "rollcall.toml": "[applications.billing]\n[applications.shop]\n" });
    await using three = openFolder();
    const services = await Promise.all([one, two, three].map((folder) => folder.serve()));
    const instances = NAMES.map((name, place) => ({ name, folder: [one, two, three][place]! }));
    expect(await writeMap(instances)).toEqual({ exitCode: 1, out: "", err: "two instances have: shop\n", map: null });
    await services[2]!.end("SIGTERM");
    expect(await writeMap(instances)).toMatchObject({ exitCode: 3, map: null });
  },
);

test("an instance is split in two by copying its database: each keeps its applications, keys and history, and nobody is alarmed", async () => {
  await using one = openFolder({ "rollcall.toml": "[applications.shop]\n[applications.billing]\n" });
  const before = await one.serve();
  const keys = await Promise.all(
    ["shop", "billing"].map(async (slug) => (await one.run(["key", "create", slug])).out.trim()),
  );
  for (const key of keys) expect(await report(before, key, "job", REGISTER)).toBe(200);
  await before.end("SIGTERM");
  await using two = openFolder({ "rollcall.toml": "[applications.billing]\n" });
  expect((await two.run(["restore", join(one.path, "data/rollcall.db")])).exitCode).toBe(0);
  writeFileSync(join(one.path, "rollcall.toml"), "[applications.shop]\n");
  const services = [await one.serve(), await two.serve()] as const;
  expect((await one.run(["app", "delete", "billing"])).exitCode).toBe(0);
  expect((await two.run(["app", "delete", "shop"])).exitCode).toBe(0);
  const statuses = keys.map((key) => Promise.all(services.map((service) => report(service, key, "job"))));
  expect(await Promise.all(statuses)).toEqual([
    [200, 401],
    [401, 200],
  ]);
  for (const [folder, slug] of [
    [one, "shop"],
    [two, "billing"],
  ] as const) {
    expect(storedIn({ folder })).toContain(`${slug} job 2`);
    expect(folder.rows("SELECT count(*) AS incidents FROM incidents")).toEqual([{ incidents: 0 }]);
    expect(JSON.parse((await folder.run(["app", "list", "--json"])).out)).toMatchObject([{ slug, monitors: 1 }]);
  }
});

test("the file for Kubernetes is YAML, keeps a single writer, and runs as the image's user", () => {
  const [service, set] = Bun.YAML.parse(blockWith("kind: StatefulSet")) as ReturnType<typeof JSON.parse>[];
  const { template, replicas, volumeClaimTemplates } = set.spec;
  expect(service.spec.selector).toEqual(template.metadata.labels);
  expect({ replicas, modes: volumeClaimTemplates[0].spec.accessModes }).toEqual({
    replicas: 1,
    modes: ["ReadWriteOncePod"],
  });
  const image = readFileSync(join(ROOT, "packaging/Dockerfile"), "utf8");
  expect(image).toContain(
    `USER ${template.spec.securityContext.runAsUser}:${template.spec.securityContext.runAsGroup}`,
  );
  expect(image).toContain(`VOLUME ${template.spec.containers[0].volumeMounts[0].mountPath}`);
});
