// The fields of a plain form by which a list is searched and narrowed. What they choose stands in the address.

/** `null` where there is one application alone: choosing it says nothing. */
export const ApplicationChoice = ({
  applications,
  chosen,
}: {
  applications: readonly string[];
  chosen: string | null;
}) =>
  applications.length < 2 ? null : (
    <label>
      <span class="unseen">Application</span>
      <select name="app">
        <option value="">all applications</option>
        {applications.map((slug) => (
          <option key={slug} value={slug} selected={slug === chosen}>
            {slug}
          </option>
        ))}
      </select>
    </label>
  );

/** `label`: what is searched. `hint`: the words in the empty field; `/` is its key. */
export const SearchField = ({ label, hint, text }: { label: string; hint: string; text: string }) => (
  <label>
    <span class="unseen">{label}</span>
    <input type="search" name="find" value={text} placeholder={`${hint}  /`} autocomplete="off" />
  </label>
);

export const ShowButton = () => (
  <button type="submit" class="button is-plain">
    Show
  </button>
);

/** For the link of what is shown now. */
export const current = (is: boolean) => (is ? { "aria-current": "true" as const } : {});
