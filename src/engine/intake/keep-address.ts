// Keeps the address of a monitor that a report has just created at a ping key of Healthchecks (R45): from then on that
// is an address like any other, listed and revocable by itself.

import { isRefusal } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { OldAddress } from "../../domain/old-address.ts";
import type { Caller } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { Keyring } from "../keyring.ts";
import { addOldAddress } from "../old-addresses.ts";

interface KeepParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly keyring: Keyring;
  readonly log: Log;
}

/** Binds an address to a monitor of the caller's application. Never throws: the next report at it tries again. */
export type KeepAddress = (caller: Caller, address: OldAddress, monitorKey: string) => void;

export const createAddressKeeper =
  ({ context, committer, keyring, log }: KeepParts): KeepAddress =>
  ({ applicationId, application }, address, monitorKey) => {
    const owner = { id: applicationId, slug: application };
    try {
      const kept = committer.one((now) =>
        addOldAddress(context, { address, owner, monitorKey, prefix: null }, now, false),
      );
      if (isRefusal(kept) || kept.done !== "added") return;
      keyring.forget();
      log("info", "address_added", { application, monitor: monitorKey, address: address.shown, number: kept.id });
    } catch (error) {
      committer.failed(error);
    }
  };
