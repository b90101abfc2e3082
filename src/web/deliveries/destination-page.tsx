// Draws the page of one added destination, where it is changed or renamed. New settings are kept once a test has
// arrived at the destination.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { alertsOf } from "../../views/rows/destination-rows.ts";
import { confirmPage, pageResponse } from "../document.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { ButtonLink } from "../parts/act.tsx";
import { Head, SectionBox } from "../parts/headline.tsx";
import { Form } from "../parts/operation-form.tsx";
import { DELIVERIES_PATH, DESTINATIONS_PATH, destinationPath, removeDestinationPath } from "../paths.ts";
import { type FormOf, type RefusedForm, readForm, refusedIn, submitOperationForm } from "../read-form.ts";
import { redirect } from "../response.ts";
import type { Asking } from "../signed-in.ts";
import { type RefusedDestination, untilDestinationTried } from "./destinations-page.tsx";
import { destinationKeySchemas, KeyFields, writtenDestinationSettings } from "./key-fields.tsx";

/**
 * The page of a destination, with a form for its settings and one for its name. `tried` is what was sent in the form of
 * the settings, `renaming` what was sent in the form of the name, each if it was refused; otherwise `null`.
 */
export function destinationPage(
  asking: Asking,
  name: string,
  tried: RefusedDestination | null = null,
  renaming: RefusedForm | null = null,
): Response | Refusal {
  const found = keptOne(asking, name);
  if (isRefusal(found)) return found;
  const { destination, kind } = found;
  return pageResponse(
    asking,
    { title: name, path: DELIVERIES_PATH, status: tried === null && renaming === null ? 200 : 400 },
    <>
      <Head says={`${name}.`} />
      <SectionBox name={`Change ${kind.called}`}>
        <Form
          of={changeForm(found)}
          form={{ to: destinationPath(name), class: "edit" }}
          does={kind.type === "rota" ? "Change it" : "Send a test, and change it"}
          beside={
            <ButtonLink to={DESTINATIONS_PATH} kind="plain">
              Back
            </ButtonLink>
          }
          {...tried}
        >
          <KeyFields kind={kind} changes={destination} {...tried} />
        </Form>
      </SectionBox>
      <SectionBox name="Rename it">
        <Form
          of={RENAME}
          form={{ to: `${destinationPath(name)}/rename`, class: "edit" }}
          does="Rename it"
          kind="plain"
          shown={{ newName: { value: name } }}
          {...refusedIn(renaming, "destination rename")}
        />
      </SectionBox>
    </>,
  );
}

function keptOne({ operate }: Asking, name: string) {
  const listed = operate("destination list", {});
  if (isRefusal(listed)) return listed;
  const offered = operate("destination kinds", {});
  if (isRefusal(offered)) return offered;
  const destination = listed.destinations.find((one) => one.name === name && one.kept);
  const kind = offered.kinds.find(({ type }) => type === destination?.type);
  return destination === undefined || kind === undefined ? NO_SUCH : { destination, kind };
}

/** The form with the keys of the destination's type, filled in with their present values. */
const changeForm = ({ destination, kind }: Kept) =>
  ({
    operation: "destination set",
    fields: [],
    keys: destinationKeySchemas(kind, true),
    was: writtenDestinationSettings(destination),
  }) satisfies FormOf<"destination set">;

type Kept = Exclude<ReturnType<typeof keptOne>, Refusal>;

const NO_SUCH = refuse("NOT_FOUND", "there is no such destination, or the configuration names it");

const RENAME = { operation: "destination rename", fields: ["newName"] } satisfies FormOf<"destination rename">;

export const renameDestination = (asking: Asking, name: string, form: URLSearchParams): Response | Refusal =>
  submitOperationForm(asking, RENAME, form, {
    given: () => ({ name }),
    done: () => redirect(DESTINATIONS_PATH),
    again: (refused) => destinationPage(asking, name, null, refused),
  });

/**
 * Once the test has arrived, the browser goes to the list of destinations. Otherwise the form is shown again with the
 * typed values and the receiver's answer.
 */
export async function changeDestination(
  asking: Asking,
  name: string,
  form: URLSearchParams,
  after: PagesParts["after"],
): Promise<Response | Refusal> {
  const found = keptOne(asking, name);
  if (isRefusal(found)) return found;
  const read = readForm(changeForm(found), form);
  const begun = isRefusal(read) ? read : asking.operate("destination set", { ...read, name });
  const again = (wrong: Refusal): Response | Refusal => destinationPage(asking, name, { typed: form, wrong });
  return await untilDestinationTried(asking, begun, after, again);
}

export function removePage(asking: Asking, name: string): Response | Refusal {
  const listed = asking.operate("destination list", {});
  if (isRefusal(listed)) return listed;
  return confirmPage(
    asking,
    `Remove destination ${name}?`,
    { to: removeDestinationPath(name), does: `Remove ${name}`, back: DESTINATIONS_PATH, keeps: "Keep it" },
    <p>
      {`Alerts (${alertsOf(name, listed.routes)}) no longer go there, and messages that wait for it are given up.`}
    </p>,
  );
}
