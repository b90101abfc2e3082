// A real proxy in a folder of its own, with a certificate and the file that says what it does. Knows no proxy.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificate } from "./certificate.ts";
import { startCommand } from "./clients.ts";
import { freePort } from "./free-port.ts";

export interface RunningProxy extends AsyncDisposable {
  /** Where it is to listen. */
  readonly port: number;
  /** What it has written to its files so far. */
  logs(): string;
  /** Ends it; answers what it wrote to its screen. */
  end(): Promise<string>;
}

/** Where a proxy finds `cert.pem`, `key.pem` and `both.pem`, may write, and listens. */
export interface Place {
  readonly folder: string;
  readonly port: number;
}

/** Starts what `command` answers, with `config` holding what `configure` answers and these files beside it. */
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

/** A place where a request may have its API key: its path, its method and its headers. */
export interface Keyed {
  readonly where: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A report of this job with the key in every place where it may stand; `query` goes behind each path. */
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
