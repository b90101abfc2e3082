// How a list is narrowed: a part of it by link, an application by a plain form. Both stand in the address.

interface NarrowProps<Part extends string> {
  /** Of the list. */
  readonly path: string;
  readonly label: string;
  readonly words: Readonly<Record<Part, string>>;
  readonly shown: Part;
  /** Where each part is. */
  readonly to: (part: Part) => string;
  /** Its first is what is shown without a choice. */
  readonly parts: readonly Part[];
  readonly app: string;
  readonly applications: readonly string[];
}

export const Narrow = <Part extends string>(props: NarrowProps<Part>) => {
  const { path, label, words, shown, to, parts, app, applications } = props;
  return (
    <div class="filters">
      <nav class="chips" aria-label={label}>
        {parts.map((part) => (
          <a key={part} class="chip" href={to(part)} {...(part === shown ? { "aria-current": "true" } : {})}>
            {words[part]}
          </a>
        ))}
      </nav>
      {applications.length < 2 ? null : (
        <form class="find" method="get" action={path}>
          {shown === parts[0] ? null : <input type="hidden" name="show" value={shown} />}
          <label>
            <span class="unseen">Application</span>
            <select name="app">
              <option value="">all applications</option>
              {applications.map((slug) => (
                <option key={slug} value={slug} selected={slug === app}>
                  {slug}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="button is-plain">
            Show
          </button>
        </form>
      )}
    </div>
  );
};

/** `newest` and `older` null: this is the one, or there are none. */
export const Further = ({ newest, older }: { newest: string | null; older: string | null }) =>
  newest === null && older === null ? null : (
    <nav class="pager" aria-label="Further back">
      {newest === null ? <span>Newest</span> : <a href={newest}>Newest</a>}
      {older === null ? <span>Older</span> : <a href={older}>Older</a>}
    </nav>
  );
