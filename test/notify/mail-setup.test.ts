// Mail that is set up wrongly, tried on real servers: nothing is sent without the login that was asked for, and the
// advice after a failed test names what is wrong.

import { describe, expect, test } from "bun:test";
import { deliveryAdvice } from "../../src/cli/screens/delivery-screens.ts";
import type { SmtpSettings } from "../../src/notify/email.ts";
import { createCertificate } from "../support/certificate.ts";
import { type Sending, sendThrough } from "../support/mail.ts";

const LOGIN = { username: "rollcall", password: "p4ss" };
const certificate = createCertificate();
const TRUSTED = { certificateAuthority: certificate.certificate };

test("with a login a server that offers none is sent nothing: a wrong password would never be noticed", async () => {
  const { verdict, count } = await sendThrough({ settings: { login: { ...LOGIN, password: "wrong" } } });
  expect(verdict).toEqual({ verdict: "blocked", answer: expect.stringMatching(/^no login offered: 50\d /) });
  expect(count).toBe(0);
});

type Security = SmtpSettings["security"];

/** What the server speaks, what is configured, and what the advice must name. */
const MISMATCHES: readonly (readonly [server: Security, configured: Security, names: string])[] = [
  ["none", "starttls", 'set security = "tls" under [smtp] (usual: port 465)'],
  ["none", "tls", 'set security = "starttls" under [smtp] (usual: port 587)'],
  ["starttls", "none", 'set security = "starttls" under [smtp]'],
  ["starttls", "tls", 'set security = "starttls" under [smtp] (usual: port 587)'],
  ["tls", "none", 'wants TLS from the start (465: security = "tls")'],
  ["tls", "starttls", 'wants TLS from the start (465: security = "tls")'],
];

async function adviceAfter(sending: Sending): Promise<string> {
  const { verdict, count } = await sendThrough(sending);
  expect(count).toBe(0);
  return deliveryAdvice(verdict.answer, true);
}

describe("the advice after a failed test of mail", () => {
  test.each(MISMATCHES)("a server with %s, configured as %s", async (security, configured, names) => {
    const settings = { security: configured, login: LOGIN };
    // Where a server waits for TLS and we for its greeting, it is the silence that ends the attempt.
    const options = { ...TRUSTED, timeoutMs: security === "tls" ? 300 : 10_000 };
    expect(await adviceAfter({ security, certificate, login: LOGIN, settings, options })).toContain(names);
  });

  test("a login that the server does not offer, one that it refuses, and one that it misses", async () => {
    const offered = { security: "tls", certificate, login: LOGIN, options: TRUSTED } as const;
    const wrong = { security: "tls", login: { ...LOGIN, password: "wr0ng" } } as const;
    expect(await adviceAfter({ settings: { login: LOGIN } })).toContain("leave out smtp.username and smtp.password");
    expect(await adviceAfter({ ...offered, settings: wrong })).toContain("check the username and the password");
    expect(await adviceAfter({ ...offered, settings: { security: "tls" } })).toContain("give username and password");
  });

  test("a certificate of an authority of one's own, one that ran out, and one with another name", async () => {
    const settings = { security: "tls" } as const;
    expect(await adviceAfter({ security: "tls", certificate, settings })).toContain("NODE_EXTRA_CA_CERTS=");
    expect(deliveryAdvice("TLS failure (CERT_HAS_EXPIRED)", true)).toContain("has expired");
    const other = createCertificate("DNS:other.example.org");
    const options = { certificateAuthority: other.certificate };
    expect(await adviceAfter({ security: "tls", certificate: other, settings, options })).toContain("another name");
  });

  test.each(["TLSV1_ALERT_PROTOCOL_VERSION", "SSLV3_ALERT_HANDSHAKE_FAILURE", "UNSUPPORTED_PROTOCOL"])(
    "a server that has TLS, but ends it: %s",
    (code) => {
      const advice = deliveryAdvice(`TLS failure (ERR_SSL_${code})`, true);
      expect(advice).toContain("only a version of TLS before 1.2");
      expect(advice).not.toContain("security =");
    },
  );

  test.each([
    "535 5.7.139 Authentication unsuccessful, basic authentication is disabled. [AM6P193CA0093.EURP193.PROD.OUTLOOK.COM]",
    "550 5.7.30 Basic authentication is not supported for Client Submission.",
  ])("Microsoft's mail, which takes no password: %s", (answer) => {
    expect(deliveryAdvice(answer, true)).toContain("takes no password");
  });

  test("a sender that the server refuses, and a recipient", async () => {
    const sender = () => ({ code: 553, text: "5.7.1 sender address rejected: not owned by user" });
    expect(await adviceAfter({ sender })).toContain("smtp.from must be");
    const recipient = () => ({ code: 550, text: "5.1.1 no such mailbox" });
    expect(await adviceAfter({ recipient })).toContain("and the recipient");
  });
});

test("a mail server to which no way leads is not said to be one where nothing listens", async () => {
  // No TCP goes to all machines at once. The runtime calls that refused.
  const { verdict } = await sendThrough({ settings: { host: "255.255.255.255" } });
  expect(verdict).toEqual({ verdict: "retry", answer: "connection refused" });
  expect(deliveryAdvice(verdict.answer, true)).toContain("or no way leads there");
});

test("the advice about certificates is the same for what goes over HTTPS", () => {
  expect(deliveryAdvice("TLS failure (UNABLE_TO_VERIFY_LEAF_SIGNATURE)", false)).toContain("NODE_EXTRA_CA_CERTS=");
  expect(deliveryAdvice("TLS failure (ERR_SSL_WRONG_VERSION_NUMBER)", false)).toContain("http:// or https://");
  expect(deliveryAdvice(null, false)).toContain("check that it runs");
});

test.each([
  ["HTTP 400 Bad Request, the chat has another number since it became a supergroup", "the new number as its chat"],
  ["HTTP 400 Bad Request, the chat is not found, or did not write to the bot first", "has said what is wrong"],
  ["HTTP 403 Forbidden, the bot may not write there", "has said what is wrong"],
  ["HTTP 404 Not Found, the token is not taken", "check its secret, key or token"],
  ["HTTP 400 Bad Request: this port wants https:// in the address", "write https:// in its url"],
  ["connection refused at the proxy that HTTPS_PROXY names", "look at that proxy"],
  ["HTTP 400 Bad Request", "check that the type of the destination is right"],
])("the advice on a test fits what was answered: %s", (answer, advice) => {
  expect(deliveryAdvice(answer, false)).toContain(advice);
});
