// A button that changes something: a form of its own, which works without script and comes back to the page it stands
// on.

import type { PropsWithChildren } from "hono/jsx";

interface Act {
  /** Where the form goes. */
  readonly to: string;
  /** The page to come back to. */
  readonly back: string;
  /** Fields that it sends besides. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly kind?: "plain" | "strong" | "danger";
}

export const Act = ({ to, back, fields = {}, kind = "plain", children }: PropsWithChildren<Act>) => (
  <form class="act" method="post" action={to}>
    <input type="hidden" name="back" value={back} />
    {Object.entries(fields).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class={`button is-${kind}`}>
      {children}
    </button>
  </form>
);
