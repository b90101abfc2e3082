// Asks for a new password and hashes it here, in the command's own process: the service never sees it, and none of its
// time goes into the hash.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { checkPassword, PASSWORD_MIN } from "../../domain/people/password.ts";
import { hashPassword } from "../../web/passwords.ts";
import type { Io } from "../io.ts";

/** The hash of the password that was given. */
export async function askPasswordHash(io: Io): Promise<string | Refusal> {
  const given = io.secret.isTerminal ? await askTwice(io) : ((await io.secret.read()) ?? NONE);
  if (isRefusal(given)) return given;
  return checkPassword(given) ?? (await hashPassword(given));
}

const NONE = refuse("INVALID_REQUEST", "password: none was given; give it on stdin, or --link for a one-time link");

async function askTwice(io: Io): Promise<string | Refusal> {
  io.err(`new password, at least ${PASSWORD_MIN} characters (it is not shown):`);
  const first = await io.secret.read();
  if (first === null) return NONE;
  const wrong = checkPassword(first);
  if (wrong !== null) return wrong;
  io.err("the same again:");
  const second = await io.secret.read();
  return second === first ? first : refuse("INVALID_REQUEST", "password: the two are not the same");
}
