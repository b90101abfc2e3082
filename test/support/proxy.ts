// Runs a real proxy in a new folder, with a certificate and its configuration file. This file knows no particular
// proxy.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificate } from "./certificate.ts";
import { startCommand } from "./clients.ts";
import { freePort } from "./free-port.ts";

export interface RunningProxy extends AsyncDisposable {
  /** The port at which the proxy must listen. */
  readonly port: number;
  /** The text that it has written to its files so far. */
  logs(): string;
  /** Ends it, and returns what it wrote to its screen. */
  end(): Promise<string>;
}

/**
 * The folder in which a proxy finds `cert.pem`, `key.pem` and `both.pem` and may write, and the port at which it
 * listens.
 */
export interface Place {
  readonly folder: string;
  readonly port: number;
}

/**
 * Starts the command that `command` returns. `config` is a file with the text that `configure` returns, and these files
 * are beside it.
 */
export function startProxy(
  configure: (place: Place) => string,
  command: (file: string, folder: string) => readonly string[],
  files: Readonly<Record<string, string>> = {},
): RunningProxy {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-proxy-"));
  const port = freePort();
  const { certificate, key } = createCertificate();
  const all = { ...files, "cert.pem": certificate, "key.pem": key, "both.pem": certificate + key };
  for (const [name, text] of Object.entries({ ...all, config: configure({ folder, port }) }))
    writeFileSync(join(folder, name), text);
  const running = startCommand(command(join(folder, "config"), folder), { HOME: folder });
  let isOver = false;
  const end = async (): Promise<string> => {
    if (!isOver) running.kill();
    isOver = true;
    return (await running.ended).screen;
  };
  return {
    port,
    end,
    logs: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".log"))
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join("\n"),
    [Symbol.asyncDispose]: async () => {
      await end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A request with its API key in one of the possible places: path, method and headers. */
export interface Keyed {
  readonly where: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A report of this job for every place in which the key may be; `query` follows each path. */
export function reportsWith(key: string, job: string, query = ""): Keyed[] {
  const basic = (word: string) => ({ authorization: `${word} ${btoa(`${key}:`)}` });
  const encoded = key.replaceAll("_", "%5F");
  const rows: [where: string, path: string, headers: Record<string, string>][] = [
    ["path", `/api/v1/ping/${job}/${key}`, {}],
    ["path, start", `/api/v1/ping/${job}/${key}/start`, {}],
    ["path, complete", `/api/v1/ping/${job}/${key}/complete`, {}],
    ["path, exit status", `/api/v1/ping/${job}/${key}/0`, {}],
    ["path, encoded", `/api/v1/ping/${job}/${encoded}`, {}],
    ["path of the alias", `/ping/${job}/${key}`, {}],
    ["path of the alias, complete", `/ping/${job}/${key}/complete`, {}],
    ["path of the alias, encoded", `/ping/${job}/${encoded}`, {}],
    ["Basic", `/api/v1/ping/${job}`, basic("Basic")],
    ["Basic, complete", `/api/v1/ping/${job}/complete`, basic("basic")],
    ["Basic on the alias", `/ping/${job}`, basic("BASIC ")],
    ["Bearer", `/ping/${job}`, { authorization: `Bearer ${key}` }],
    ["Bearer, complete", `/ping/${job}/complete`, { authorization: `bearer  ${key}` }],
    ["ApiKey", `/ping/${job}`, { authorization: `ApiKey ${key}` }],
  ];
  return rows.flatMap(([where, path, headers]) =>
    (["GET", "POST"] as const).map((method) => ({ where, method, path: path + query, headers })),
  );
}
