// Serves `/answer/DESTINATION/TOKEN`, where people reply to an alert from its message without signing in: the token
// says whose reply it is. Opening the page does nothing, because programs that check mail or draw previews open links,
// too. Such programs post nothing, so a phone's app may reply without the page: it posts to
// `/answer/DESTINATION/TOKEN/REPLY` (ntfy).

import { Elysia } from "elysia";
import { isRefusal, problemOf, type Refusal, refuse, refuseField, STATUS } from "../../domain/errors.ts";
import { isReply, REPLIES, REPLY_WORDS } from "../../domain/people/reply.ts";
import type { ReplyView } from "../../engine/operations/take-reply.ts";
import { readBody } from "../../http/body.ts";
import { incidentState } from "../../views/rows/incident-rows.ts";
import { createSignInThrottle, tooManySignInTries } from "../account/sign-in-tries.ts";
import { pageResponse } from "../document.tsx";
import { formResponse } from "../form-response.ts";
import { IncidentStoryHead, storyTitle } from "../incidents/story-page.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { RowParts } from "../parts/row-parts.tsx";
import { FORM_BYTES_MAX, FORMS } from "../posted-form.ts";
import { refusalPage, refusalSentence } from "../refusal-page.tsx";
import { PAGE_HEADERS } from "../response.ts";

const PATH = "/answer/:destination/:token";

const NO_SUCH_REPLY = refuseField("do", `it must be ${REPLY_WORDS.join(", ")}`);
const NO_PLACE = refuse("NOT_FOUND", `an answer ends with ${REPLY_WORDS.join(", ")}`);

export function replyRoutes({ engine, requestOrigin, clock, takePostedReply }: PagesParts) {
  const throttle = createSignInThrottle(clock, engine.people.randomToken());
  const { replies } = engine;

  /**
   * Limits guesses: wrong tokens from one network have the limits of signing in by a provider, but are counted apart.
   */
  function slowed<Seen extends object>(seen: Seen | Refusal, address: string): Seen | Refusal {
    const isTry = isRefusal(seen) && seen.refusal === "ACCESS_DENIED";
    const seconds = isTry ? throttle.begin(address, true) : null;
    return seconds === null ? seen : tooManySignInTries(seconds);
  }

  /** The page on which a person replies. `done` says what the person has just done. */
  function page(request: Request, seen: ReplyView | Refusal, done = ""): Response | Refusal {
    if (isRefusal(seen)) return seen;
    const story = engine.as(seen.actor).operate("incident show", { id: seen.incidentId });
    if (isRefusal(story)) return story;
    return pageResponse(
      { request, viewer: null },
      { ...storyTitle(story), headers: { "x-robots-tag": "noindex, nofollow" } },
      <section class="plain">
        <IncidentStoryHead story={story} />
        {done === "" ? null : <p role="status">{`${seen.person.name}: ${done}.`}</p>}
        <p class="note">
          {`${story.incident.application} · incident ${seen.incidentId} · `}
          <RowParts parts={incidentState(story.incident)} now={clock.now()} timezone={story.timezone} />
        </p>
        {seen.allowed.length === 0 ? null : <ReplyForm to={new URL(request.url).pathname} seen={seen} />}
      </section>,
    );
  }

  return new Elysia({ name: "replies" })
    .use(FORMS)
    .get(PATH, ({ request, server, params }) => {
      const address = requestOrigin.clientOf(request, server);
      const shown = page(request, slowed(replies.look({ ...params, address }), address));
      return isRefusal(shown) ? refusalPage(request, shown, null) : shown;
    })
    .post(PATH, ({ request, server, params }) =>
      formResponse(requestOrigin, request, server, (form) => {
        const reply = form.get("do") ?? "";
        const address = requestOrigin.clientOf(request, server);
        return isReply(reply)
          ? page(request, slowed(replies.take({ ...params, address }, reply), address), REPLIES[reply])
          : NO_SUCH_REPLY;
      }),
    )
    .post(`${PATH}/:reply`, ({ request, server, params: { reply, ...from } }) => {
      const address = requestOrigin.clientOf(request, server);
      if (!isReply(reply)) return refusalPage(request, NO_PLACE, null);
      const seen = slowed(replies.take({ ...from, address }, reply), address);
      return inWords(isRefusal(seen) ? seen : `${seen.person.name}: ${REPLIES[reply]}`);
    })
    .post("/answers/:service", async ({ request, server, params: { service } }) => {
      const body = await readBody(request, FORM_BYTES_MAX);
      if (isRefusal(body)) return inWords(body);
      const call = { headers: request.headers, body: Buffer.from(body) };
      const taken = slowed(takePostedReply(service, call), requestOrigin.clientOf(request, server));
      if (isRefusal(taken) && taken.refusal === "NOT_FOUND") return refusalPage(request, taken, null);
      return isRefusal(taken) ? inWords(taken) : Response.json(taken, { headers: PAGE_HEADERS });
    });
}

/**
 * The response to a program that replies for a person, in plain text that any site may read. The status is 409 when the
 * reply comes too late.
 */
function inWords(said: string | Refusal): Response {
  const status = !isRefusal(said) ? 200 : said.refusal === "INVALID_REQUEST" ? 409 : STATUS[said.refusal];
  const headers = { ...PAGE_HEADERS, "content-type": "text/plain; charset=utf-8", "access-control-allow-origin": "*" };
  return new Response(`${refusalSentence(isRefusal(said) ? problemOf(said) : said)}\n`, { status, headers });
}

const ReplyForm = ({ to, seen: { allowed, person, destination } }: { to: string; seen: ReplyView }) => (
  <form class="acts" method="post" action={to}>
    {allowed.map((reply) => (
      <button key={reply} type="submit" name="do" value={reply} class={reply === "ack" ? "button is-strong" : "button"}>
        {REPLIES[reply]}
      </button>
    ))}
    <p class="note">{`You answer as ${person.name}, by a message to ${destination}. Each button works once.`}</p>
  </form>
);
