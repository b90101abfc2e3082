// A self-signed certificate for localhost and 127.0.0.1, made for each run of the tests.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestCertificate {
  /** The private key as PEM. */
  readonly key: string;
  /** The certificate as PEM, which a client must also trust. */
  readonly certificate: string;
}

const KEYS = { ec: "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1", rsa: "-newkey rsa:2048" };

/** `names` are the certificate's alternative names in the form of openssl. */
export function createCertificate(
  names = "DNS:localhost,IP:127.0.0.1",
  kind: keyof typeof KEYS = "ec",
): TestCertificate {
  const directory = mkdtempSync(join(tmpdir(), "certificate-"));
  const [keyFile, certificateFile] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  try {
    const request = `req -x509 ${KEYS[kind]} -nodes -days 2 -subj /CN=localhost`;
    const made = Bun.spawnSync([
      "openssl",
      ...request.split(" "),
      "-addext",
      `subjectAltName=${names}`,
      "-keyout",
      keyFile,
      "-out",
      certificateFile,
    ]);
    if (!made.success) throw new Error(`openssl: ${made.stderr.toString()}`);
    return { key: readFileSync(keyFile, "utf8"), certificate: readFileSync(certificateFile, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
