// The addresses of other services that jobs report to (R45): their list, and the page that asks before one is revoked.

import { type Refusal, refuse } from "../../domain/errors.ts";
import type { Convention } from "../../domain/old-address.ts";
import type { AddressSummary } from "../../views/answers/addresses.ts";
import { confirmPage } from "../document.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";
import { jobPath, KEYS_PATH, revokeAddressPath } from "../paths.ts";
import { shownLine, shownName } from "../shown.ts";
import type { Asking } from "../signed-in.ts";
import { mayAs } from "../viewer.ts";
import { addressesOf, NO_SUCH_ADDRESS, type Ring, Used } from "./rings.tsx";

const SERVICES: Readonly<Record<Convention, string>> = {
  healthchecks: "Healthchecks",
  "healthchecks-slug": "Healthchecks",
  "healthchecks-create": "Healthchecks",
  kuma: "Uptime Kuma",
};

export const countedAddresses = (count: number): string => (count === 1 ? "1 old address" : `${count} old addresses`);

export const OldAddresses = ({ ring, ...shown }: Clocked & { readonly ring: Ring }) =>
  ring.addresses.length === 0 ? null : (
    <section aria-label={`Old addresses of ${ring.slug}`}>
      <p class="note">
        {ring.moreAddresses ? "The first of many old addresses" : countedAddresses(ring.addresses.length)}: jobs have
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
            <span class="key-scope">{SERVICES[one.convention]}</span>
            <span class="key-made">
              <Reports of={one} />
            </span>
            <span class="key-used">
              <Used of={one} {...shown} />
            </span>
            <a class="button is-plain" href={revokeAddressPath(one.id)} aria-label={`Revoke address ${one.id}…`}>
              Revoke…
            </a>
          </li>
        ))}
      </ul>
    </section>
  );

const Reports = ({ of: { application, monitorKey, prefix, exists } }: { readonly of: AddressSummary }) => {
  if (monitorKey === null) return <>creates {shownLine(prefix ?? "")}*</>;
  const name = shownName({ key: monitorKey, name: monitorKey });
  return exists ? <a href={jobPath({ application, key: monitorKey })}>{name}</a> : <>{name}, which is gone</>;
};

const FOR_ADMINISTRATORS = refuse("ACCESS_DENIED", "addresses are for administrators");

export function revokeAddressPage(asking: Asking, id: number): Response | Refusal {
  const { engine, viewer } = asking;
  if (!mayAs(viewer, "admin")) return FOR_ADMINISTRATORS;
  const one = addressesOf(engine, viewer).find((each) => each.id === id && each.revokedAt === null);
  if (one === undefined) return NO_SUCH_ADDRESS;
  return confirmPage(
    asking,
    `Revoke address ${id} of ${one.application}?`,
    { to: revokeAddressPath(id), does: `Revoke address ${id}`, back: KEYS_PATH, keeps: "Keep it" },
    <>
      <p>
        It is <code>{one.address}</code>, from {SERVICES[one.convention]}
        {one.monitorKey === null ? " and " : ", for "}
        <Reports of={one} />.
      </p>
      <p>
        {one.lastUsedAt === null ? (
          "rollcall has seen no use of it."
        ) : (
          <>
            It was last used <Ago at={one.lastUsedAt} {...engine.views.viewContext()} />. What still reports there is
            refused from then on, and rollcall will raise an alarm when its report is due.
          </>
        )}
      </p>
    </>,
  );
}
