// The keys that work on every page, in a dialog that `?` opens.

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ["/", "search"],
  ["j", "to the next job"],
  ["k", "to the job before"],
  ["Enter", "open it"],
  ["?", "this list"],
  ["Esc", "close it, or leave the search"],
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
      <button type="submit">Close</button>
    </form>
  </dialog>
);
