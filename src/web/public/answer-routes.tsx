// `/answer/DESTINATION/TOKEN`: where people answer an alert from its message, without signing in: the token says whose
// answer it is. Looking does nothing, because programs that check mail and draw previews open links too.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { ANSWERS, isAnswerAct } from "../../domain/people/answer.ts";
import type { SeenAnswer } from "../../engine/operations/answers.ts";
import { answerForm } from "../account/form-parts.tsx";
import { createSignInThrottle, tooManyTries } from "../account/sign-in.ts";
import { pageAnswer } from "../document.tsx";
import { FORMS } from "../form.ts";
import { StoryHead, stateInWords, titleOf } from "../incidents/story-page.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { refusalPage } from "../refusal-page.tsx";

const PATH = "/answer/:destination/:token";

const NO_ACT = refuse("INVALID_REQUEST", `do: it must be ${Object.keys(ANSWERS).join(", ")}`);

export function answerRoutes({ engine, entrance, clock }: PagesParts) {
  const throttle = createSignInThrottle(clock, engine.people.randomToken());
  const { answers } = engine;

  /** `done`: what was done now. A wrong token counts as a try to sign in. */
  function page(request: Request, address: string, seen: SeenAnswer | Refusal, done = ""): Response | Refusal {
    if (isRefusal(seen)) {
      const seconds = seen.refusal === "ACCESS_DENIED" ? throttle.begin(address, true) : null;
      return seconds === null ? seen : tooManyTries(seconds);
    }
    const story = engine.as(seen.actor).operate("incident show", { id: seen.incidentId });
    if (isRefusal(story)) return story;
    return pageAnswer(
      { request, viewer: null },
      { ...titleOf(story), headers: { "x-robots-tag": "noindex, nofollow" } },
      <section class="plain">
        <StoryHead story={story} />
        {done === "" ? null : <p role="status">{`${seen.person.name}: ${done}.`}</p>}
        <p class="note">{`${story.incident.application} · incident ${seen.incidentId} · ${stateInWords(story.incident)}`}</p>
        {seen.acts.length === 0 ? null : <Acts to={new URL(request.url).pathname} seen={seen} />}
      </section>,
    );
  }

  return new Elysia({ name: "answers" })
    .use(FORMS)
    .get(PATH, ({ request, server, params }) => {
      const address = entrance.clientOf(request, server);
      const shown = page(request, address, answers.look({ ...params, address }));
      return isRefusal(shown) ? refusalPage(request, shown, null) : shown;
    })
    .post(PATH, ({ request, server, params }) =>
      answerForm(entrance, request, server, (form) => {
        const act = form.get("do") ?? "";
        const address = entrance.clientOf(request, server);
        return isAnswerAct(act)
          ? page(request, address, answers.act({ ...params, address }, act), ANSWERS[act])
          : NO_ACT;
      }),
    );
}

const Acts = ({ to, seen: { acts, person, destination } }: { to: string; seen: SeenAnswer }) => (
  <form class="acts" method="post" action={to}>
    {acts.map((act) => (
      <button key={act} type="submit" name="do" value={act} class={act === "ack" ? "button is-strong" : "button"}>
        {ANSWERS[act]}
      </button>
    ))}
    <p class="note">{`You answer as ${person.name}, by a message to ${destination}. Each button works once.`}</p>
  </form>
);
