// `rollcall app …`: asks the running service to change its applications and says what came of it.

import type { CreatedApplication } from "../http/management-contract.ts";
import { DONE } from "./io.ts";
import { askService, type Caller } from "./socket-client.ts";

/** Creates the application. Exit code 0, or 1 when it exists or its name is refused (R2). */
export async function runAppCreate(caller: Caller, slug: string): Promise<number> {
  const answer = await askService<CreatedApplication>(caller, {
    method: "POST",
    path: "/applications",
    body: { slug },
  });
  if ("exitCode" in answer) return answer.exitCode;
  caller.io.out(`created application ${answer.body.slug}`);
  caller.io.err(`next: rollcall key create ${answer.body.slug}`);
  return DONE;
}
