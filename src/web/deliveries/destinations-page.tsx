// Draws the page of destinations, to which an administrator adds a destination or removes an added one. A new
// destination is kept once a test has arrived at it.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { sentenceText } from "../../domain/wording/now.ts";
import type { DestinationKind, DestinationTrial, ShownDestination, ShownRoute } from "../../engine/engine-settings.ts";
import { alertsOf } from "../../views/rows/destination-rows.ts";
import { pageResponse } from "../document.tsx";
import { applicationsFor } from "../list-query.ts";
import type { PagesParts } from "../pages-parts.ts";
import { ButtonLink } from "../parts/act.tsx";
import { Head, SectionBox } from "../parts/headline.tsx";
import { Form } from "../parts/operation-form.tsx";
import { DELIVERIES_PATH, DESTINATIONS_PATH, destinationPath, removeDestinationPath } from "../paths.ts";
import { type FormOf, type RefusedForm, readForm } from "../read-form.ts";
import { redirect } from "../response.ts";
import { pageLine } from "../shown.ts";
import type { Asking } from "../signed-in.ts";
import { destinationKeySchemas, KeyFields } from "./key-fields.tsx";
import { Routes, TeamMembers } from "./told-part.tsx";

export type RefusedDestination = Readonly<{ typed: URLSearchParams; wrong: Refusal }>;

/**
 * Draws the page of destinations. `tried` is a refused form for a new destination; `refused` is a refused form about a
 * member of the team.
 */
export function destinationsPage(
  asking: Asking,
  tried: RefusedDestination | null = null,
  refused: RefusedForm | null = null,
): Response | Refusal {
  const listed = asking.operate("destination list", {});
  if (isRefusal(listed)) return listed;
  const offered = asking.operate("destination kinds", {});
  const people = asking.operate("member list", {});
  if (isRefusal(offered)) return offered;
  if (isRefusal(people)) return people;
  const wanted = (tried?.typed ?? asking.search).get("type");
  const kind = offered.kinds.find(({ type }) => type === wanted) ?? null;
  const { destinations, routes } = listed;
  const applications = applicationsFor(asking.engine, asking.viewer);
  return pageResponse(
    asking,
    { title: "Destinations", path: DELIVERIES_PATH, status: tried === null && refused === null ? 200 : 400 },
    <>
      <Head
        says={destinations.length === 0 ? "Alerts have nowhere to go yet." : "Where alerts go."}
        tone={destinations.length === 0 ? "late" : "quiet"}
      />
      {destinations.length === 0 ? null : (
        <ul class="entries">
          {destinations.map((destination) => (
            <Listed key={destination.name} destination={destination} routes={routes} {...offered} />
          ))}
        </ul>
      )}
      <SectionBox id="add" name={kind === null ? "Add a destination" : `Add ${kind.called}`}>
        {kind === null ? (
          <Kinds kinds={offered.kinds} />
        ) : (
          <Settings kind={kind} tried={tried} applications={applications} />
        )}
      </SectionBox>
      {destinations.length === 0 || kind !== null ? null : <Routes {...listed} applications={applications} />}
      {kind === null ? <TeamMembers {...people} refused={refused} /> : null}
    </>,
  );
}

interface ListedProps {
  readonly destination: ShownDestination;
  readonly routes: readonly ShownRoute[];
  readonly kinds: readonly DestinationKind[];
}

const Listed = ({ destination, routes, kinds }: ListedProps) => {
  const { name, type, from, kept, overruled, turn } = destination;
  return (
    <li class="entry">
      <span />
      <div class="entry-what">
        <p>
          <span class="entry-name">{name}</span>{" "}
          <span class="where">{kinds.find((kind) => kind.type === type)?.called ?? type}</span>
        </p>
        <p class="note">
          {overruled === null
            ? `alerts: ${alertsOf(name, routes)}${turn.length === 0 ? "" : `; ${sentenceText(turn)}`}`
            : `not in force: ${pageLine(overruled)}`}
          {from === null || kept ? "" : ` · set by ${pageLine(from)}`}
        </p>
      </div>
      {kept ? (
        <div class="acts">
          <ButtonLink to={destinationPath(name)} kind="plain">
            Change… <span class="unseen">{name}</span>
          </ButtonLink>
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
    <p>
      A phone needs no account with ntfy: the next page has a topic that is hard to guess. Subscribe to it in the app.
    </p>
    <p class="acts">
      <KindButtons kinds={kinds.slice(0, COMMON)} />
    </p>
    {kinds.length <= COMMON ? null : (
      <details class="more">
        <summary>Other types</summary>
        <p class="acts">
          <KindButtons kinds={kinds.slice(COMMON)} />
        </p>
      </details>
    )}
  </form>
);

/** How many types are shown at first; most people want one of these. */
const COMMON = 8;

const KindButtons = ({ kinds }: { readonly kinds: readonly DestinationKind[] }) => (
  <>
    {kinds.map(({ type, called }) => (
      <button key={type} type="submit" class="button" name="type" value={type}>
        {called}
      </button>
    ))}
  </>
);

/** The fields of every type of destination. The keys of the chosen type are further fields of the same form. */
const ADD = {
  operation: "destination add",
  fields: ["name", "application"],
  hidden: ["type"],
} satisfies FormOf<"destination add">;

interface SettingsProps {
  readonly kind: DestinationKind;
  readonly tried: RefusedDestination | null;
  readonly applications: readonly string[];
}

const Settings = ({ kind, tried, applications }: SettingsProps) => (
  <>
    <Form
      of={{ ...ADD, fields: applications.length < 2 ? ["name"] : ADD.fields, keys: destinationKeySchemas(kind, false) }}
      form={{ to: DESTINATIONS_PATH, class: "edit" }}
      does={kind.type === "rota" ? "Add it" : "Send a test, and add it"}
      beside={
        <ButtonLink to={DESTINATIONS_PATH} kind="plain">
          Another type
        </ButtonLink>
      }
      {...tried}
      shown={{
        type: { value: kind.type },
        name: {
          value: kind.sample,
          after: (
            <>
              {kind.keys.some(({ suggestion }) => suggestion !== null) ? (
                <p>Subscribe to this topic in the app first; change it if you have one already.</p>
              ) : null}
              <KeyFields kind={kind} changes={null} {...tried} />
            </>
          ),
        },
        application: {
          choices: ["", ...applications].map((slug) => [
            slug,
            slug === "" ? "all jobs, but those with destinations of their own" : `${slug} alone`,
          ]),
        },
      }}
    />
  </>
);

/**
 * How many milliseconds pass between two looks at the result of a test, and how many looks there are at most: together
 * 35 s. A channel gives up after 15 s, then tries a plainer message for 15 s more.
 */
const LOOK_EVERY = 100;
const LOOKS_MAX = 350;

/**
 * Once the test has arrived, the browser goes to the list of destinations, which says so. Otherwise the form is shown
 * again with the typed values and the receiver's answer.
 */
export async function addDestination(
  asking: Asking,
  form: URLSearchParams,
  after: PagesParts["after"],
): Promise<Response | Refusal> {
  const offered = asking.operate("destination kinds", {});
  if (isRefusal(offered)) return offered;
  const kind = offered.kinds.find(({ type }) => type === form.get("type"));
  const read = readForm({ ...ADD, keys: kind === undefined ? {} : destinationKeySchemas(kind, false) }, form);
  const begun = isRefusal(read) ? read : asking.operate("destination add", read);
  return await untilDestinationTried(asking, begun, after, (wrong) => destinationsPage(asking, { typed: form, wrong }));
}

/**
 * Says that the destination is kept, and how its test went. "Arrived" means only that a server has accepted the
 * message.
 */
const keptInWords = ({ name, answer }: DestinationTrial): string =>
  answer === null
    ? `${name} is kept; no test was sent.`
    : `The test arrived at ${name}: its server took it (${pageLine(answer)}). Look whether it shows where you read it.`;

export async function untilDestinationTried(
  { operate, say }: Asking,
  begun: DestinationTrial | Refusal,
  after: PagesParts["after"],
  again: (wrong: Refusal) => Response | Refusal,
): Promise<Response | Refusal> {
  if (isRefusal(begun)) return begun.refusal === "ACCESS_DENIED" ? begun : again(begun);
  let trial: DestinationTrial = begun;
  for (let looks = 0; trial.state === "testing" && looks < LOOKS_MAX; looks++) {
    await new Promise<void>((resolve) => after(LOOK_EVERY, resolve));
    const looked = operate("destination trial", { id: trial.id });
    if (isRefusal(looked)) return looked;
    trial = looked;
  }
  if (trial.state !== "kept") return again(refuse("INVALID_REQUEST", whyNotKept(trial)));
  say(keptInWords(trial));
  return redirect(DESTINATIONS_PATH);
}

function whyNotKept({ state, answer }: DestinationTrial): string {
  if (state === "refused") return `Nothing was done, because the test did not arrive: ${pageLine(answer ?? "")}.`;
  if (state === "failed") return "Nothing was done: the log says why.";
  return "There is no answer yet: look here again before you send it once more.";
}
