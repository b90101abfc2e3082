// Mail, webhooks and a broker whose certificates an authority of one's own has signed: refused, with a word on how to
// trust it, and taken by the executable when it is told.

import { expect, setDefaultTimeout, test } from "bun:test";
import { HAS_BROKER, LOGIN, startBroker } from "../support/broker.ts";
import { createCertificate } from "../support/certificate.ts";
import { openFolder } from "../support/executable.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

setDefaultTimeout(120_000);

test("R40: an authority of one's own is trusted for mail and webhooks by NODE_EXTRA_CA_CERTS, as the advice says", async () => {
  const made = createCertificate();
  await using mail = await startSmtpServer({ security: "tls", certificate: made });
  const tls = { key: made.key, cert: made.certificate };
  await using receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response("ok") });
  await using broker = HAS_BROKER ? await startBroker({ certificate: made }) : null;
  await using folder = openFolder({
    "authority.pem": made.certificate,
    "rollcall.toml": `
[smtp]
host = "localhost"
port = ${mail.port}
security = "tls"
from = "cron@example.org"
[team]
members = [{ email = "ada@example.org" }]
[destinations.hook]
type = "webhook"
url = "https://localhost:${receiver.port}/"
secret = "whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}"
[destinations.home]
type = "mqtt"
url = "mqtts://localhost:${broker?.port ?? 1}"
username = "${LOGIN.username}"
password = "${LOGIN.password}"
`,
  });
  const destinations = broker === null ? ["email", "hook"] : ["email", "hook", "home"];
  const strict = await folder.serve();
  for (const destination of destinations) {
    const { exitCode, err } = await folder.run(["notify", "test", destination]);
    expect(exitCode).toBe(1);
    expect(err).toContain("NODE_EXTRA_CA_CERTS=/path/to/authority.pem");
  }
  await strict.end("SIGTERM");

  await folder.serve({ NODE_EXTRA_CA_CERTS: `${folder.path}/authority.pem` });
  for (const destination of destinations) {
    expect(await folder.run(["notify", "test", destination])).toMatchObject({ exitCode: 0, err: "" });
  }
});
