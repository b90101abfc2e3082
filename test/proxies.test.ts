// The proxies of docs/operations.md taken at their word: each runs with its snippet as it stands in front of the executable, which
// must count what comes through as HTTPS, and the key of a report must stand in no file the proxy writes.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificate } from "./support/certificate.ts";
import { isInstalled, startCommand } from "./support/clients.ts";
import { firstKeyOf, openFolder, ROOT, until } from "./support/executable.ts";
import { blocksOf } from "./support/readme.ts";

setDefaultTimeout(60_000);

const PAGE = readFileSync(join(ROOT, "docs/operations.md"), "utf8");

function snippetWith(text: string): string {
  const found = blocksOf(PAGE).find((block) => block.text.includes(text));
  if (found === undefined) throw new Error(`docs/operations.md has no block with ${text}`);
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
  /** The file it reads, with our addresses and folders in place of the snippet's. */
  configure(places: Places): string;
  command(file: string, folder: string): string[];
}

const PROXIES: readonly Proxy[] = [
  {
    name: "nginx",
    configure: ({ folder, upstream, port }) => {
      const [format = "", ...server] = snippetWith("log_format").split("\n");
      const inside = server.join("\n").replaceAll("/var/log/nginx", folder).replace("http://127.0.0.1:8787", upstream);
      const tls = `listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      return `daemon off; pid ${folder}/pid; error_log ${folder}/main.log; events {}
        http { ${temporary.join(" ")} ${format}\nserver { ${tls}\n${inside} } }`;
    },
    command: (file, folder) => ["nginx", "-p", folder, "-e", `${folder}/main.log`, "-c", file],
  },
  {
    name: "caddy",
    configure: ({ folder, upstream, port }) => {
      const options = "admin off\nauto_https disable_redirects\nlog {";
      return snippetWith("reverse_proxy")
        .replace("cron.example.org {", `https://127.0.0.1:${port} {\ntls ${folder}/cert.pem ${folder}/key.pem`)
        .replace("127.0.0.1:8787", upstream)
        .replace("log {", `${options}\noutput file ${folder}/caddy.log`);
    },
    command: (file) => ["caddy", "run", "--adapter", "caddyfile", "--config", file],
  },
];

/** A port that is free now. */
function freePort(): number {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  return server.port!;
}

for (const { name, configure, command } of PROXIES) {
  test.skipIf(!isInstalled(name))(
    `R35: the documented ${name} passes reports on and keeps keys out of its logs`,
    async () => {
      await using folder = openFolder();
      const service = await folder.serve();
      const key = firstKeyOf(service);
      const place = mkdtempSync(join(tmpdir(), "rollcall-proxy-"));
      const certificate = createCertificate();
      writeFileSync(join(place, "cert.pem"), certificate.certificate);
      writeFileSync(join(place, "key.pem"), certificate.key);
      const port = freePort();
      writeFileSync(join(place, "config"), configure({ folder: place, upstream: service.url, port }));
      const proxy = startCommand(command(join(place, "config"), place), { HOME: place });
      const report = () =>
        fetch(`https://127.0.0.1:${port}/api/v1/ping/job/${key}?schedule=0+3+*+*+*`, {
          tls: { rejectUnauthorized: false },
          keepalive: false,
        }).then(
          ({ status }) => status,
          () => null,
        );
      try {
        expect(await until("the proxy", report)).toBe(200);
        await service.end("SIGTERM");
        expect(await report()).toBe(502);
        await until("its log", () => (logsIn(place).includes("502") ? true : null));
      } finally {
        proxy.kill();
      }
      const { screen } = await proxy.ended;
      const written = logsIn(place) + screen;
      rmSync(place, { recursive: true });
      expect(written).not.toContain(key.slice("ck_app_default_".length));
    },
  );
}

const logsIn = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".log"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
