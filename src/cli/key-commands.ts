// `rollcall key …`: creates, lists and revokes API keys through the running service. A key is seen here once, when it is
// created, and goes nowhere but to stdout.

import type { CreatedKey, ListedKey } from "../http/management/contract.ts";
import { DONE, say } from "./io.ts";
import { askService, type Caller } from "./socket-client.ts";
import { headIn, minute, unbroken } from "./spoken.ts";
import { formatTable, ownerColumn } from "./table.ts";

/** `application` null: the only one there is. Creates a key and prints it alone on the first line of stdout, so that a script can take it; the rest is stderr's. */
export async function runKeyCreate(caller: Caller, application: string | null, scope: string): Promise<number> {
  const answer = await askService<CreatedKey>(caller, { method: "POST", path: "/keys", body: { application, scope } });
  if ("exitCode" in answer) return answer.exitCode;
  const { key, id } = answer.body;
  caller.io.out(key);
  const owner = answer.screen.onlyApplication ? "" : ` of application ${answer.body.application}`;
  say(caller.io, `key ${id}${owner}, scope ${scope}; it is shown this once, only its hash is kept`);
  return DONE;
}

/** Lists the keys of one application (null: of all), never the keys themselves (R2). */
export async function runKeyList(caller: Caller, application: string | null, asJson: boolean): Promise<number> {
  const query = application === null ? "" : `?application=${encodeURIComponent(application)}`;
  const answer = await askService<{ keys: ListedKey[] }>(caller, { method: "GET", path: `/keys${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const { keys } = answer.body;
  const { screen } = answer;
  if (asJson) {
    caller.io.out(JSON.stringify(keys, null, 2));
    return DONE;
  }
  if (keys.length === 0) {
    const create = screen.typed(`key create ${application ?? "APP"}`);
    say(caller.io, `there are no keys yet; this makes one: ${unbroken(create)}`);
    return DONE;
  }
  const rows = keys.map((key) => [
    String(key.id),
    ...ownerColumn(screen, key.application),
    key.scope,
    minute(key.createdAt, screen),
    key.lastUsedAt === null ? "never" : minute(key.lastUsedAt, screen),
    minute(key.revokedAt, screen),
  ]);
  const head = [
    "ID",
    ...ownerColumn(screen, "APPLICATION"),
    "SCOPE",
    headIn(screen, "CREATED"),
    "LAST USED",
    "REVOKED",
  ];
  for (const line of formatTable(head, rows, screen.width)) caller.io.out(line);
  return DONE;
}

/** Revokes the key with this number for good; jobs that still use it get 401. */
export async function runKeyRevoke(caller: Caller, id: number): Promise<number> {
  const answer = await askService<ListedKey>(caller, { method: "POST", path: `/keys/${id}/revoke` });
  if ("exitCode" in answer) return answer.exitCode;
  const owner = answer.screen.onlyApplication ? "" : ` of application ${answer.body.application}`;
  caller.io.out(`revoked key ${id}${owner}`);
  return DONE;
}
