// The proxies of docs/proxies.md taken at their word: each runs with its snippet as it stands in front of the
// executable, which must count what comes through as HTTPS, and the key of a report must stand in nothing the proxy
// writes.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled } from "./support/clients.ts";
import { firstKeyOf, openFolder, ROOT, until } from "./support/executable.ts";
import { type Place, reportsWith, startProxy } from "./support/proxy.ts";
import { blocksOf } from "./support/readme.ts";

setDefaultTimeout(120_000);

const PAGE = readFileSync(join(ROOT, "docs/proxies.md"), "utf8");
const BLOCKS = blocksOf(PAGE);

function snippetWith(text: string): string {
  const found = BLOCKS.find((block) => block.text.includes(text));
  if (found === undefined) throw new Error(`docs/proxies.md has no block with ${text}`);
  return found.text;
}

interface Behind extends Place {
  /** Of the executable. */
  readonly upstream: string;
}

interface Documented {
  readonly name: string;
  /** What it answers while nobody listens behind it. */
  readonly alone: number;
  /** The file it reads, with our addresses and folders in place of the snippet's. */
  configure(places: Behind): string;
  command(file: string, folder: string): readonly string[];
}

const NGINX: Pick<Documented, "name" | "command"> = {
  name: "nginx",
  command: (file, folder) => ["nginx", "-p", folder, "-e", `${folder}/main.log`, "-c", file],
};

/**
 * A server block in a file of its own, that nothing of the system's reaches into. Its workers stay root where the tests
 * are root's, because only then they can write large bodies into the folder.
 */
const nginxFile = (folder: string, http: string): string => {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; user root; pid ${folder}/pid; error_log ${folder}/main.log; events {}\nhttp { ${temporary.join(" ")} ${http} }`;
};

const PROXIES: readonly Documented[] = [
  {
    ...NGINX,
    alone: 502,
    configure: ({ folder, upstream, port }) => {
      const [inHttp = "", server = ""] = snippetWith("log_format").split("\n\n");
      const inside = server.replaceAll("/var/log/nginx", folder).replace("http://127.0.0.1:8787", upstream);
      const tls = `listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
      return nginxFile(folder, `${inHttp}\nserver { ${tls}\n${inside} }`);
    },
  },
  {
    name: "caddy",
    alone: 502,
    configure: ({ folder, upstream, port }) => {
      const options = "admin off\nauto_https disable_redirects\nlog {";
      return snippetWith("reverse_proxy")
        .replace("cron.example.org {", `https://127.0.0.1:${port} {\ntls ${folder}/cert.pem ${folder}/key.pem`)
        .replace("127.0.0.1:8787", upstream)
        .replace("log {", `${options}\noutput file ${folder}/caddy.log`);
    },
    command: (file) => ["caddy", "run", "--adapter", "caddyfile", "--config", file],
  },
  {
    name: "haproxy",
    alone: 503,
    configure: ({ folder, upstream, port }) =>
      snippetWith("log-format")
        .replace(":443", `127.0.0.1:${port}`)
        .replace("/etc/haproxy/cron.example.org.pem", `${folder}/both.pem`)
        .replace("/dev/log", "stdout format raw")
        .replace("127.0.0.1:8787", new URL(upstream).host),
    command: (file) => ["haproxy", "-db", "-f", file],
  },
];

/** Answers the status; null when nobody listens yet. */
const ask = (url: string, init: RequestInit = {}): Promise<number | null> =>
  fetch(url, { ...init, tls: { rejectUnauthorized: false }, keepalive: false }).then(
    ({ status }) => status,
    () => null,
  );

const REGISTER = "?schedule=0+3+*+*+*";

for (const { name, alone, configure, command } of PROXIES) {
  test.skipIf(!isInstalled(name))(
    `R35: the documented ${name} passes reports on and keeps keys out of its logs`,
    async () => {
      await using folder = openFolder();
      const service = await folder.serve();
      const key = firstKeyOf(service);
      await using proxy = startProxy((place) => configure({ ...place, upstream: service.url }), command);
      const reports = reportsWith(key, "job", REGISTER);
      const send = ({ path, ...init }: (typeof reports)[number]) => ask(`https://127.0.0.1:${proxy.port}${path}`, init);
      await until(name, () => send(reports[0]!));
      expect(await Promise.all(reports.map(send))).toEqual(reports.map(() => 200));
      await service.end("SIGTERM");
      expect(await Promise.all(reports.map(send))).toEqual(reports.map(() => alone));
      if (proxy.logs() !== "") await until("its log", () => (proxy.logs().includes(String(alone)) ? true : null));
      const written = (await proxy.end()) + proxy.logs();
      expect(written).toContain(String(alone));
      expect(written).not.toContain(key.slice("ck_app_default_".length));
      expect(written).not.toContain(btoa(`${key}:`).slice(0, 40));
    },
  );
}

for (const { name, configure, command } of PROXIES) {
  test.skipIf(!isInstalled(name))(
    `R10, R45: the documented ${name} lets long messages and large logs of failures through`,
    async () => {
      await using folder = openFolder();
      const service = await folder.serve();
      const key = firstKeyOf(service);
      await using proxy = startProxy((place) => configure({ ...place, upstream: service.url }), command);
      const at = (path: string, init?: RequestInit) => ask(`https://127.0.0.1:${proxy.port}${path}`, init);
      await until(name, () => at(`/api/v1/ping/job/${key}${REGISTER}`));
      await folder.run(["address", "add", "/ping/0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f", "job"]);
      const message = encodeURIComponent("🔥".repeat(1000));
      expect(await at(`/api/v1/ping/job/${key}/fail?message=${message}`)).toBe(200);
      const log = { method: "POST", body: "x".repeat(3 * 1024 * 1024) };
      expect(await at("/ping/0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f/fail", log)).toBe(200);
    },
  );
}

test.skipIf(!isInstalled("nginx"))(
  "R35: a bare nginx over plain HTTP looks like this machine, unless plain_http = refuse; one that names the client does not",
  async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    const through = async (line: string, upstream: string): Promise<number> => {
      const server = (port: number) =>
        `access_log off; server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; ${line} } }`;
      await using proxy = startProxy(({ folder, port }) => nginxFile(folder, server(port)), NGINX.command);
      return await until("nginx", () => ask(`http://127.0.0.1:${proxy.port}/api/v1/ping/job/${key}${REGISTER}`));
    };
    expect(await through("", service.url)).toBe(200);
    expect(await through("proxy_set_header X-Real-IP $remote_addr;", service.url)).toBe(403);
    await service.end("SIGTERM");
    const stricter = await folder.serve({ ROLLCALL_SERVER__PLAIN_HTTP: "refuse" });
    expect(await through("", stricter.url)).toBe(403);
  },
);

test("the documented files of Traefik are YAML, and drop from its log what can hold a key", () => {
  const files = BLOCKS.filter(({ language }) => language === "yaml").map(({ text }) => Bun.YAML.parse(text));
  expect(files).toMatchObject([
    {
      accessLog: {
        fields: { names: { RequestPath: "drop", ClientUsername: "drop" }, headers: { defaultMode: "drop" } },
      },
    },
    { http: { services: { rollcall: { loadBalancer: { servers: [{ url: "http://127.0.0.1:8787" }] } } } } },
  ]);
});
