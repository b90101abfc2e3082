// The options that say which service a command asks, here or elsewhere (`--remote`), and who may use them.

import type { Command } from "commander";
import type { Shell } from "../command-shell.ts";
import { flagsOf } from "../command-shell.ts";
import type { SocketCaller } from "./ask-service.ts";
import type { CallFlags } from "./command-hints.ts";
import { hintHere } from "./command-hints.ts";

export function callerOf(command: Command, { args, environment, io }: Shell): SocketCaller {
  const flags = { ...flagsOf(command), ...whereOf(command) };
  return { args, flags, environment, io: { ...io, typed: hintHere(flags) } };
}

function whereOf(command: Command): Pick<CallFlags, "remote" | "keyFile"> {
  const { remote, keyFile } = command.optsWithGlobals<CallFlags>();
  return { ...(remote === undefined ? {} : { remote }), ...(keyFile === undefined ? {} : { keyFile }) };
}

const asking = new WeakSet<Command>();

/** Marks a command as one that asks a running service: only such a command may be called with `--remote`. */
export const asksService = (command: Command): void => void asking.add(command);

/**
 * Refuses three calls: `--key-file` without `--remote`; `--remote` with a command that asks no service; and `--remote`
 * with `--config` or `--env-file`, because these name another service.
 */
export function refuseElsewhere(command: Command): void {
  const { remote, keyFile, config, envFile } = command.optsWithGlobals<CallFlags>();
  if (remote === undefined) {
    if (keyFile !== undefined) command.error("error: --key-file has the key for --remote, which is missing");
    return;
  }
  if (!asking.has(command)) command.error(`error: ${command.name()} works on this machine, without --remote`);
  if (config !== undefined || envFile !== undefined)
    command.error("error: --remote names another service than that of --config and --env-file, leave one out");
}
