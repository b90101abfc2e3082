// The page on which administrators add destinations, each kept once a test has arrived, and take away what was added.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { DestinationKind, DestinationTrial, ShownDestination } from "../../engine/reloads.ts";
import { redirect } from "../answer.ts";
import { confirmPage, pageAnswer } from "../document.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { ButtonLink, Field, Submit, Wrong } from "../parts/act.tsx";
import { Head, Own } from "../parts/headline.tsx";
import { DELIVERIES_PATH, DESTINATIONS_PATH, removeDestinationPath } from "../paths.ts";
import { sentence } from "../refusal-page.tsx";
import { shownLine } from "../shown.ts";
import type { Asking } from "../signed-in.ts";

type RefusedDestination = Readonly<{ form: URLSearchParams; wrong: string }>;

export function destinationsPage(asking: Asking, typed: RefusedDestination | null = null): Response | Refusal {
  const listed = asking.operate("destination list", {});
  if (isRefusal(listed)) return listed;
  const offered = asking.operate("destination kinds", {});
  if (isRefusal(offered)) return offered;
  const wanted = (typed?.form ?? asking.search).get("type");
  const kind = offered.kinds.find(({ type }) => type === wanted) ?? null;
  const { destinations } = listed;
  return pageAnswer(
    asking,
    { title: "Destinations", path: DELIVERIES_PATH, status: typed === null ? 200 : 400 },
    <>
      <Head
        says={destinations.length === 0 ? "Alerts have nowhere to go yet." : "Where alerts go."}
        tone={destinations.length === 0 ? "late" : "quiet"}
      />
      {destinations.length === 0 ? null : (
        <ul class="entries">
          {destinations.map((destination) => (
            <Listed key={destination.name} destination={destination} />
          ))}
        </ul>
      )}
      <Own id="add" name={kind === null ? "Add a destination" : `Add ${kind.type}`}>
        {kind === null ? <Kinds kinds={offered.kinds} /> : <Settings kind={kind} typed={typed} />}
      </Own>
    </>,
  );
}

const Listed = ({ destination }: { readonly destination: ShownDestination }) => {
  const { name, type, from, kept, byDefault, overruled } = destination;
  return (
    <li class="entry">
      <span />
      <div class="entry-what">
        <p>
          <span class="entry-name">{name}</span> <span class="where">{type}</span>
        </p>
        <p class="note">
          {overruled === null
            ? byDefault
              ? "gets alerts by default"
              : "gets the alerts of those that name it"
            : `not in force: ${shownLine(overruled)}`}
          {from === null || kept ? "" : ` · set by ${shownLine(from)}`}
        </p>
      </div>
      {kept ? (
        <div class="acts">
          <ButtonLink to={removeDestinationPath(name)} kind="plain">
            Remove… <span class="unseen">{name}</span>
          </ButtonLink>
        </div>
      ) : null}
    </li>
  );
};

const Kinds = ({ kinds }: { readonly kinds: readonly DestinationKind[] }) => (
  <form method="get" action={`${DESTINATIONS_PATH}#add`}>
    <p>A phone needs no account with ntfy: choose a topic nobody guesses, and subscribe to it in the app.</p>
    <p class="acts">
      {kinds.map(({ type }) => (
        <button key={type} type="submit" class="button" name="type" value={type}>
          {type}
        </button>
      ))}
    </p>
  </form>
);

const Settings = ({ kind, typed }: { readonly kind: DestinationKind; readonly typed: RefusedDestination | null }) => (
  <>
    <Wrong text={typed?.wrong ?? null} />
    <form method="post" action={DESTINATIONS_PATH}>
      <input type="hidden" name="type" value={kind.type} />
      <Field
        label="name"
        name="name"
        value={typed?.form.get("name") ?? kind.sample}
        hint="What it is called: lowercase letters, digits and hyphens."
      />
      {kind.keys.map(({ key, needed, meaning, example }) => (
        <Field
          key={key}
          label={`${key.replaceAll("_", " ")}${needed ? "" : " (may be left out)"}`}
          name={key}
          value={typed?.form.get(key) ?? ""}
          placeholder={example}
          hint={meaning}
          optional={!needed}
        />
      ))}
      <p class="acts">
        <Submit kind="strong">Send a test, and add it</Submit>
        <ButtonLink to={DESTINATIONS_PATH} kind="plain">
          Another type
        </ButtonLink>
      </p>
    </form>
  </>
);

/** Milliseconds between two looks at a test, and how many: a channel gives up after 15 s, and its plain form too. */
const LOOK_EVERY = 100;
const LOOKS_MAX = 350;

/** Leads to the list once the test has arrived; else to what was typed, with what the receiver said. */
export async function addDestination(
  asking: Asking,
  form: URLSearchParams,
  after: PagesParts["after"],
): Promise<Response | Refusal> {
  const name = (form.get("name") ?? "").trim();
  const settings = [...form].flatMap(([key, value]) =>
    key === "name" || key === "type" || value.trim() === "" ? [] : [`${key}=${value.trim()}`],
  );
  const begun = asking.operate("destination add", { name, type: form.get("type") ?? "", settings });
  if (isRefusal(begun))
    return begun.refusal === "ACCESS_DENIED"
      ? begun
      : destinationsPage(asking, { form, wrong: sentence(begun.message) });
  let trial: DestinationTrial = begun;
  for (let looks = 0; trial.state === "testing" && looks < LOOKS_MAX; looks++) {
    await new Promise<void>((resolve) => after(LOOK_EVERY, resolve));
    const looked = asking.operate("destination trial", { id: trial.id });
    if (isRefusal(looked)) return looked;
    trial = looked;
  }
  return trial.state === "kept"
    ? redirect(DESTINATIONS_PATH)
    : destinationsPage(asking, { form, wrong: whyNotKept(trial) });
}

function whyNotKept({ state, answer }: DestinationTrial): string {
  if (state === "refused") return `Nothing was added, because the test did not arrive: ${shownLine(answer ?? "")}.`;
  if (state === "failed") return "Nothing was added: storage did not take it, and the log says why.";
  return "There is no answer yet: look here again before you add it once more.";
}

export function removePage(asking: Asking, name: string): Response | Refusal {
  const listed = asking.operate("destination list", {});
  if (isRefusal(listed)) return listed;
  return confirmPage(
    asking,
    `Remove destination ${name}?`,
    { to: removeDestinationPath(name), does: `Remove ${name}`, back: DESTINATIONS_PATH, keeps: "Keep it" },
    <p>Alerts no longer go there, and messages that wait for it are given up.</p>,
  );
}
