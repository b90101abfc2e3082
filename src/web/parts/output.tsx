// What a failing job wrote last (R46): the end at once, and what stands before it when somebody asks. Text, never
// markup.

import { endOfOutput, linesBefore } from "../../domain/wording/output.ts";

/** As many as a person takes in at a glance. Lines. */
const AT_ONCE = 12;

/** Nothing for a report without one. */
export const Output = ({ text }: { text: string | null }) => {
  if (text === null) return null;
  const { before, end } = endOfOutput(text, AT_ONCE);
  return (
    <figure class="output">
      <figcaption>The last lines of this failure</figcaption>
      {before.length === 0 ? null : (
        <details>
          <summary class="unfold">{linesBefore(before.length)}</summary>
          <pre dir="auto">{before.join("\n")}</pre>
        </details>
      )}
      <pre dir="auto">{end.join("\n")}</pre>
    </figure>
  );
};
