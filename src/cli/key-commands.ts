// `rollcall key …`: creates, lists and revokes API keys through the running service. A key is seen here once, when it is
// created, and goes nowhere but to stdout.

import type { CreatedKey, ListedKey } from "../http/management-contract.ts";
import { DONE } from "./io.ts";
import { askService, type Caller } from "./socket-client.ts";
import { formatTable } from "./table.ts";

/** Creates a key and prints it alone on the first line of stdout, so that a script can take it; the rest is stderr's. */
export async function runKeyCreate(caller: Caller, application: string, scope: string): Promise<number> {
  const answer = await askService<CreatedKey>(caller, { method: "POST", path: "/keys", body: { application, scope } });
  if ("exitCode" in answer) return answer.exitCode;
  const { key, id } = answer.body;
  caller.io.out(key);
  caller.io.err(
    `key ${id} of application ${application}, scope ${scope}; it is shown this once, only its hash is kept`,
  );
  return DONE;
}

/** Lists the keys of one application (null: of all), never the keys themselves (R2). */
export async function runKeyList(caller: Caller, application: string | null, asJson: boolean): Promise<number> {
  const query = application === null ? "" : `?application=${encodeURIComponent(application)}`;
  const answer = await askService<{ keys: ListedKey[] }>(caller, { method: "GET", path: `/keys${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const { keys } = answer.body;
  if (asJson) {
    caller.io.out(JSON.stringify(keys, null, 2));
    return DONE;
  }
  const rows = keys.map((key) => [
    String(key.id),
    key.application,
    key.scope,
    key.createdAt,
    key.lastUsedAt ?? "never",
    key.revokedAt ?? "-",
  ]);
  for (const line of formatTable(["ID", "APPLICATION", "SCOPE", "CREATED", "LAST USED", "REVOKED"], rows))
    caller.io.out(line);
  return DONE;
}

/** Revokes the key with this number for good; jobs that still use it get 401. */
export async function runKeyRevoke(caller: Caller, id: number): Promise<number> {
  const answer = await askService<ListedKey>(caller, { method: "POST", path: `/keys/${id}/revoke` });
  if ("exitCode" in answer) return answer.exitCode;
  caller.io.out(`revoked key ${id} of application ${answer.body.application}`);
  return DONE;
}
