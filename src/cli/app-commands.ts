// `rollcall app …`: asks the running service to change its applications and says what came of it.

import type { CreatedApplication, ListedApplication } from "../http/management/contract.ts";
import { DONE, say } from "./io.ts";
import { askService, type Caller } from "./socket-client.ts";
import { headIn, minute, unbroken } from "./spoken.ts";
import { formatTable } from "./table.ts";

/** Creates the application. Exit code 0, or 1 when it exists or its name is refused (R2). */
export async function runAppCreate(caller: Caller, slug: string): Promise<number> {
  const answer = await askService<CreatedApplication>(caller, {
    method: "POST",
    path: "/applications",
    body: { slug },
  });
  if ("exitCode" in answer) return answer.exitCode;
  caller.io.out(`created application ${answer.body.slug}`);
  say(caller.io, `next: ${unbroken(answer.screen.typed(`key create ${answer.body.slug}`))}`);
  return DONE;
}

/** Lists all applications; there is always one. */
export async function runAppList(caller: Caller, asJson: boolean): Promise<number> {
  const answer = await askService<{ applications: ListedApplication[] }>(caller, {
    method: "GET",
    path: "/applications",
  });
  if ("exitCode" in answer) return answer.exitCode;
  const { applications } = answer.body;
  const { screen } = answer;
  if (asJson) {
    caller.io.out(JSON.stringify(applications, null, 2));
    return DONE;
  }
  const rows = applications.map(({ slug, name, monitors, createdAt }) => [
    slug,
    name ?? "-",
    String(monitors),
    minute(createdAt, screen),
  ]);
  const head = ["APPLICATION", "NAME", "MONITORS", headIn(screen, "CREATED")];
  for (const line of formatTable(head, rows, screen.width)) caller.io.out(line);
  return DONE;
}
