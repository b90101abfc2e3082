// The proxies of docs/proxies.md taken at their word: each runs with its snippet as it stands in front of the executable, which
// must count what comes through as HTTPS, and the key of a report must stand in nothing the proxy writes.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificate } from "./support/certificate.ts";
import { isInstalled, type Running, startCommand } from "./support/clients.ts";
import { firstKeyOf, openFolder, ROOT, until } from "./support/executable.ts";
import { blocksOf } from "./support/readme.ts";

setDefaultTimeout(60_000);

const PAGE = readFileSync(join(ROOT, "docs/proxies.md"), "utf8");
const BLOCKS = blocksOf(PAGE);

function snippetWith(text: string): string {
  const found = BLOCKS.find((block) => block.text.includes(text));
  if (found === undefined) throw new Error(`docs/proxies.md has no block with ${text}`);
  return found.text;
}

interface Places {
  readonly folder: string;
  /** Of the executable behind. */
  readonly upstream: string;
  readonly port: number;
}

interface Proxy {
  readonly name: string;
  /** What it answers while nobody listens behind it. */
  readonly alone: number;
  /** The file it reads, with our addresses and folders in place of the snippet's. */
  configure(places: Places): string;
  command(file: string, folder: string): string[];
}

const NGINX: Pick<Proxy, "name" | "command"> = {
  name: "nginx",
  command: (file, folder) => ["nginx", "-p", folder, "-e", `${folder}/main.log`, "-c", file],
};

/** A server block in a file of its own, that nothing of the system's reaches into. */
const nginxFile = (folder: string, http: string): string => {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; pid ${folder}/pid; error_log ${folder}/main.log; events {}\nhttp { ${temporary.join(" ")} ${http} }`;
};

const PROXIES: readonly Proxy[] = [
  {
    ...NGINX,
    alone: 502,
    configure: ({ folder, upstream, port }) => {
      const [format = "", ...server] = snippetWith("log_format").split("\n");
      const inside = server.join("\n").replaceAll("/var/log/nginx", folder).replace("http://127.0.0.1:8787", upstream);
      const tls = `listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
      return nginxFile(folder, `${format}\nserver { ${tls}\n${inside} }`);
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

/** A port that is free now. */
function freePort(): number {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  return server.port!;
}

interface Started extends Disposable {
  readonly running: Running;
  readonly port: number;
  /** What stands in its files. */
  logs(): string;
}

function start({ configure, command }: Pick<Proxy, "configure" | "command">, upstream: string): Started {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-proxy-"));
  const { certificate, key } = createCertificate();
  const files = { "cert.pem": certificate, "key.pem": key, "both.pem": certificate + key };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const port = freePort();
  writeFileSync(join(folder, "config"), configure({ folder, upstream, port }));
  const running = startCommand(command(join(folder, "config"), folder), { HOME: folder });
  const logs = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".log"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
  return { running, port, logs, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** Answers the status; null when nobody listens yet. */
const ask = (url: string, headers: Record<string, string> = {}): Promise<number | null> =>
  fetch(url, { tls: { rejectUnauthorized: false }, keepalive: false, headers }).then(
    ({ status }) => status,
    () => null,
  );

const REGISTER = "?schedule=0+3+*+*+*";

/** A report with the key in every place it may stand. */
const reportsOf = (key: string): readonly (readonly [path: string, headers: Record<string, string>])[] => [
  [`/api/v1/ping/job/${key}${REGISTER}`, {}],
  [`/ping/job/${key}${REGISTER}`, {}],
  [`/api/v1/ping/job${REGISTER}`, { authorization: `Basic ${btoa(`${key}:`)}` }],
  [`/ping/job${REGISTER}`, { authorization: `Bearer ${key}` }],
  [`/ping/job${REGISTER}`, { authorization: `ApiKey ${key}` }],
];

for (const proxy of PROXIES) {
  const { name, alone } = proxy;
  test.skipIf(!isInstalled(name))(
    `R35: the documented ${name} passes reports on and keeps keys out of its logs`,
    async () => {
      await using folder = openFolder();
      const service = await folder.serve();
      const key = firstKeyOf(service);
      using started = start(proxy, service.url);
      const { running, port, logs } = started;
      const reports = reportsOf(key);
      const report = ([path, headers]: (typeof reports)[number]) => ask(`https://127.0.0.1:${port}${path}`, headers);
      try {
        await until("the proxy", () => report(reports[0]!));
        for (const each of reports) expect(await report(each)).toBe(200);
        await service.end("SIGTERM");
        expect(await Promise.all(reports.map(report))).toEqual(reports.map(() => alone));
        if (name !== "haproxy") await until("its log", () => (logs().includes(String(alone)) ? true : null));
      } finally {
        running.kill();
      }
      const written = logs() + (await running.ended).screen;
      expect(written).toContain(String(alone));
      expect(written).not.toContain(key.slice("ck_app_default_".length));
      expect(written).not.toContain(btoa(`${key}:`).slice(0, 40));
    },
  );
}

test.skipIf(!isInstalled("nginx"))(
  "R35: a bare nginx over plain HTTP looks like this machine, unless plain_http = refuse; one that names the client does not",
  async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    const bare = (line: string): Pick<Proxy, "configure" | "command"> => ({
      ...NGINX,
      configure: ({ folder, upstream, port }) =>
        nginxFile(
          folder,
          `access_log off; server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; ${line} } }`,
        ),
    });
    const through = async (line: string, upstream: string): Promise<number> => {
      using started = start(bare(line), upstream);
      try {
        return await until("nginx", () => ask(`http://127.0.0.1:${started.port}/api/v1/ping/job/${key}${REGISTER}`));
      } finally {
        started.running.kill();
        await started.running.ended;
      }
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
