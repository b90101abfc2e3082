// What a job is doing now, as its sentence: the browser keeps its times current.

import { type Instant, toIso } from "../../domain/time.ts";
import type { SaidPart } from "../../domain/wording/now.ts";
import { momentInWords } from "../../domain/wording/spoken-time.ts";

interface SentenceProps {
  readonly parts: readonly SaidPart[];
  /** The zone of its job's schedule. */
  readonly timezone: string;
}

export const Sentence = ({ parts, timezone }: SentenceProps) => (
  <span data-said>
    {parts.map(({ text, at, as }, place) =>
      at === null || as === null ? (
        <bdi key={place}>{text}</bdi>
      ) : (
        <time
          key={place}
          datetime={toIso(at as Instant)}
          data-as={as}
          data-zone={timezone}
          title={momentInWords(at, timezone)}
        >
          {text}
        </time>
      ),
    )}
  </span>
);
