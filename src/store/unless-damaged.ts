// Reads around damaged pages: what lies in one is left out, and hides nothing else.

import { isDamage } from "../domain/storage-fault.ts";

/** Null: a page of it is damaged. */
export function unlessDamaged<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}
