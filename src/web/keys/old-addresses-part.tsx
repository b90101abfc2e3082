// Draws the list of old addresses, and the page that asks before one is revoked. An old address is one of another
// service, at which jobs still report (R45).

import { type Refusal, refuse } from "../../domain/errors.ts";
import { ADDRESS_COLUMNS, countedOldAddresses, revokedAddressInWords } from "../../views/rows/key-rows.ts";
import { confirmPage } from "../document.tsx";
import type { Clocked } from "../parts/moment.tsx";
import { Cells, Sentences } from "../parts/row-parts.tsx";
import { KEYS_PATH, revokeAddressPath } from "../paths.ts";
import type { Asking } from "../signed-in.ts";
import { viewerMayAs } from "../viewer.ts";
import { type ApplicationKeys, NO_SUCH_ADDRESS, oldAddressesOf } from "./keys-by-application.tsx";

export const OldAddresses = ({ ring, ...shown }: Clocked & { readonly ring: ApplicationKeys }) =>
  ring.addresses.length === 0 ? null : (
    <section aria-label={`Old addresses of ${ring.slug}`}>
      <p class="note">
        {ring.moreAddresses ? "The first of many old addresses" : countedOldAddresses(ring.addresses.length)}: jobs have
        them from another service, and report there as before.
        {ring.moreAddresses ? (
          <>
            {" "}
            <code>rollcall address list</code> shows all.
          </>
        ) : null}
      </p>
      <ul class="keys">
        {ring.addresses.map((one) => (
          <li key={one.id} class="key">
            <span class="key-name">{one.address}</span>
            <Cells columns={ADDRESS_COLUMNS} of={one} {...shown} />
            <a class="button is-plain" href={revokeAddressPath(one.id)} aria-label={`Revoke address ${one.id}…`}>
              Revoke…
            </a>
          </li>
        ))}
      </ul>
    </section>
  );

const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "addresses are for administrators");

export function revokeAddressPage(asking: Asking, id: number): Response | Refusal {
  const { engine, viewer } = asking;
  if (!viewerMayAs(viewer, "admin")) return FOR_ADMINISTRATORS;
  const one = oldAddressesOf(engine, viewer).find((each) => each.id === id && each.revokedAt === null);
  if (one === undefined) return NO_SUCH_ADDRESS;
  return confirmPage(
    asking,
    `Revoke address ${id} of ${one.application}?`,
    { to: revokeAddressPath(id), does: `Revoke address ${id}`, back: KEYS_PATH, keeps: "Keep it" },
    <Sentences of={revokedAddressInWords(one)} {...engine.views.viewContext()} />,
  );
}
