// Draws the bar at the top of every page: links to the main pages, the choice of the theme, and who is signed in.

import type { Role } from "../../domain/people/person.ts";
import { THEMES, type Theme } from "../theme.ts";
import { type Viewer, viewerMayAs } from "../viewer.ts";

interface BarLink {
  readonly path: string;
  readonly name: string;
  /** The least role that a viewer needs to get this link. */
  readonly role: Role;
  /** `true` when the page is about all applications, so that only viewers who see all of them get the link. */
  readonly ofAll?: true;
}

/** The links of the bar. A new page for people needs one more line here. */
const PLACES: readonly BarLink[] = [
  { path: "/", name: "Jobs", role: "viewer" },
  { path: "/day", name: "Day", role: "viewer" },
  { path: "/incidents", name: "Incidents", role: "viewer" },
  { path: "/maintenance", name: "Maintenance", role: "viewer" },
  { path: "/deliveries", name: "Deliveries", role: "viewer" },
  { path: "/keys", name: "Keys", role: "admin" },
  { path: "/people", name: "People", role: "admin", ofAll: true },
  { path: "/audit", name: "Audit", role: "admin", ofAll: true },
  { path: "/own-health", name: "Health", role: "viewer" },
  { path: "/settings", name: "Settings", role: "admin", ofAll: true },
];

export const placesFor = (viewer: Viewer): BarLink[] => PLACES.filter((place) => isFor(viewer, place));

const isFor = (viewer: Viewer, { role, ofAll }: BarLink): boolean =>
  viewerMayAs(viewer, role) && (ofAll === undefined || viewer.applications === null);

const THEME_WORDS: Readonly<Record<Theme, string>> = {
  auto: "As the system",
  light: "Light",
  dark: "Dark",
  contrast: "High contrast",
};

const isAt = (place: BarLink, path: string): boolean =>
  path === place.path || (place.path !== "/" && path.startsWith(place.path));

const Own = () => (
  <>
    <a href="/account">Your account</a>
    <form method="post" action="/sign-out">
      <button type="submit" class="quiet">
        Sign out
      </button>
    </form>
  </>
);

export const Bar = ({ viewer, theme, path }: { viewer: Viewer | null; theme: Theme; path: string }) => (
  <header class="bar">
    <a class="brand" href="/">
      <span class="brand-mark" aria-hidden="true" />
      rollcall
    </a>
    {viewer === null ? null : (
      <nav aria-label="Pages">
        {placesFor(viewer).map((place) => (
          <a key={place.path} href={place.path} {...(isAt(place, path) ? { "aria-current": "page" } : {})}>
            {place.name}
          </a>
        ))}
      </nav>
    )}
    <details class="menu" name="menu">
      <summary aria-label={viewer === null ? "Appearance" : `${viewer.name}: menu`}>
        {viewer === null ? "Appearance" : viewer.name}
      </summary>
      <div class="menu-body">
        <form class="themes" method="post" action="/theme">
          <input type="hidden" name="back" value={path} />
          <fieldset>
            <legend>Appearance</legend>
            {THEMES.map((one) => (
              <button key={one} type="submit" name="theme" value={one} aria-pressed={one === theme ? "true" : "false"}>
                {THEME_WORDS[one]}
              </button>
            ))}
          </fieldset>
        </form>
        {viewer === null ? null : (
          <>
            <button type="button" class="quiet" data-notifies aria-pressed="false" hidden>
              Notify in this browser
            </button>
            <button type="button" class="quiet" data-opens="help">
              Keyboard <kbd>?</kbd>
            </button>
          </>
        )}
        {viewer === null ? null : <Own />}
      </div>
    </details>
  </header>
);

// Lists the keys that work on a page, in a dialog that the key `?` opens; and draws two more dialogs: the one that says
// why an action was refused, and the palette.

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ["/", "search"],
  ["Ctrl K", "find anything: jobs, incidents, keys, people, pages"],
  ["j", "to the next job"],
  ["k", "to the job before"],
  ["Enter", "open it"],
  ["x", "select it; a click with Shift selects all between"],
  ["u", "take back what was done just now"],
  ["← →", "on the day: from slot to slot; ↑ ↓ to the same time of another job"],
  ["+ −", "on the day: into the hour that is reached, and out"],
  ["?", "this list"],
  ["Esc", "close what is open, or leave the search"],
];

export const Help = () => (
  <dialog id="help" class="help" aria-labelledby="help-head">
    <h2 id="help-head">Keyboard</h2>
    <dl>
      {KEYS.map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog">
      <button type="submit" class="button">
        Close
      </button>
    </form>
  </dialog>
);

/** The dialog that says why an action was refused. It opens on the page with the action. */
export const RefusedDialog = () => (
  <dialog id="refused" aria-label="That was not done">
    <div class="plain" />
    <form method="dialog">
      <button type="submit" class="button">
        Back
      </button>
    </form>
  </dialog>
);

export const Palette = () => (
  <dialog id="palette" class="palette" aria-label="Find">
    <form method="get" action="/find">
      <input
        type="text"
        name="q"
        placeholder="Find jobs, pages, people…"
        aria-label="What to find"
        autocomplete="off"
      />
    </form>
    <div />
  </dialog>
);
