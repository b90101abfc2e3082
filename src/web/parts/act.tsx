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

// A line to copy, with a button that does so where there is script.

export const CopyLine = ({ text }: { text: string }) => (
  <div class="copy">
    <pre class="code">
      <code>{text}</code>
    </pre>
    <button type="button" class="button is-plain" data-copies hidden>
      Copy
    </button>
  </div>
);

/** What was wrong with the form before. */
export const Wrong = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p class="wrong" role="alert">
      {text}
    </p>
  );

interface ConfirmProps {
  /** Where the form goes. */
  readonly to: string;
  /** What its button does, which cannot be undone. */
  readonly does: string;
  /** The page to go back to, and the words for not doing it. */
  readonly back: string;
  readonly keeps: string;
}

/** Asks before something is gone. */
export const Confirm = ({ to, does, back, keeps }: ConfirmProps) => (
  <form class="acts" method="post" action={to}>
    <button type="submit" class="button is-danger">
      {does}
    </button>
    <a class="button is-plain" href={back}>
      {keeps}
    </a>
  </form>
);
