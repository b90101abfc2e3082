// A destination with `http://` at the TLS port of a real server (R36): nginx and Caddy answer 400, which is about the
// address and not about the message.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHANNELS } from "../../src/notify/registry.ts";
import { createCertificate } from "../support/certificate.ts";
import { freePort } from "../support/free-port.ts";
import { mailDelivery } from "../support/mail.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const folder = mkdtempSync(join(tmpdir(), "rollcall-tls-port-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { key, certificate } = createCertificate();
writeFileSync(join(folder, "key.pem"), key);
writeFileSync(join(folder, "cert.pem"), certificate);

const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
  (name) => `${name}_temp_path ${folder}/${name};`,
);

const SERVERS: Readonly<Record<string, (port: number) => readonly [file: string, command: readonly string[]]>> = {
  nginx: (port) => [
    `daemon off; pid ${folder}/pid; error_log ${folder}/main.log; events {}
     http { access_log off; ${TEMPORARY.join(" ")} server { listen 127.0.0.1:${port} ssl;
       ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem; } }`,
    ["nginx", "-p", folder, "-e", `${folder}/main.log`, "-c", join(folder, "nginx")],
  ],
  caddy: (port) => [
    `{\n admin off\n auto_https off\n}\nhttps://127.0.0.1:${port} {\n bind 127.0.0.1\n tls ${folder}/cert.pem ${folder}/key.pem\n respond 200\n}`,
    ["caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "caddy")],
  ],
};

for (const [name, serverAt] of Object.entries(SERVERS)) {
  test.skipIf(Bun.which(name) === null)(
    `R36: ${name}'s TLS port behind http:// is a wrong address, not a wrong message`,
    async () => {
      const port = freePort();
      const [file, command] = serverAt(port);
      writeFileSync(join(folder, name), file);
      const server = Bun.spawn([...command], {
        stdout: "ignore",
        stderr: "ignore",
        env: { ...process.env, HOME: folder },
      });
      try {
        const channel = CHANNELS.webhook({ url: `http://127.0.0.1:${port}/`, secret: SECRET });
        let verdict = await channel.send(mailDelivery(), { sentAt: 0, plain: false });
        while (verdict.verdict === "retry") verdict = await channel.send(mailDelivery(), { sentAt: 0, plain: false });
        expect(verdict).toEqual({
          verdict: "blocked",
          answer: "HTTP 400 Bad Request: this port wants https:// in the address",
        });
      } finally {
        server.kill();
        await server.exited;
      }
    },
  );
}
