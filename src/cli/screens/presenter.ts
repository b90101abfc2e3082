// The types of screens that are made from an operation's answer: a list, one object, or a few sentences.

import type { Answer, Input, OperationName, WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Ask, Screen } from "../asking/ask-service.ts";
import { after } from "../clock.ts";
import type { Io } from "../io.ts";
import type { TableRow } from "./table.ts";

/**
 * A list is a table for people, and the same rows as JSON for programs. An empty table and the lines `beside` it go to
 * stderr.
 */
interface ListPresenter<Name extends OperationName> {
  /** The items of an answer, either in the form for people or as it is written for programs. */
  items(answer: Answer<Name> | WrittenAnswer<Name>): readonly object[];
  /** Columns in which every row has a dash are left out. */
  readonly leavesOutEmpty?: true;
  rows(answer: Answer<Name>, screen: Screen): readonly TableRow[];
  none(asked: Partial<Input<Name>>, screen: Screen): string;
  beside?(answer: Answer<Name>, screen: Screen): readonly string[];
}

interface ObjectPresenter<Name extends OperationName> {
  lines(answer: Answer<Name>, screen: Screen): readonly string[];
  exitCode?(answer: Answer<Name>): number;
}

type ActionPresenter<Name extends OperationName> = (presented: Presented<Name>) => void;

/** A dialogue is about something that an operation began; the service is asked again until it has ended. */
interface DialoguePresenter<Name extends OperationName> {
  /** `ended` is the end as JSON; `null` when the service could not be asked until then. */
  hold(presented: Presented<Name>): Promise<{ readonly exitCode: number; readonly ended: unknown }>;
}

export interface Presented<Name extends OperationName> {
  readonly answer: Answer<Name>;
  readonly asked: Partial<Input<Name>>;
  readonly screen: Screen;
  readonly io: Io;
  readonly ask: Ask;
  readonly asJson: boolean;
}

export type Presenter<Name extends OperationName> =
  | ListPresenter<Name>
  | ObjectPresenter<Name>
  | ActionPresenter<Name>
  | DialoguePresenter<Name>;

export type Screens = { readonly [Name in OperationName]?: Presenter<Name> };

export const isNarrowed = (asked: {
  readonly application?: string | null;
  readonly monitor?: string | null;
  readonly sinceSeconds?: number | null;
}): boolean => [asked.application, asked.monitor, asked.sinceSeconds].some((one) => (one ?? null) !== null);

export const olderOnes = (shown: number, more: boolean): readonly string[] =>
  more ? [`these are the newest ${shown}; there are older ones, --limit shows more`] : [];

/** How many milliseconds pass between two questions to the service. */
const LOOK_EVERY = 50;
/**
 * After how many questions a line says how far the operation is: first after a second, when people begin to wonder, and
 * then every ten seconds.
 */
const LOOKS_UNTIL_SAID = 20;
const LOOKS_UNTIL_SAID_AGAIN = 200;

export async function whenEnded<Answer>(
  begun: Answer,
  isGoing: (answer: Answer) => boolean,
  look: () => Promise<{ readonly answer: Answer } | { readonly exitCode: number }>,
  sayHow: (now: Answer, isFirst: boolean) => unknown,
  looksMax = Number.POSITIVE_INFINITY,
): Promise<{ readonly answer: Answer } | { readonly exitCode: number }> {
  let answer = begun;
  for (let looks = 1; isGoing(answer) && looks <= looksMax; looks++) {
    const isFirst = looks === LOOKS_UNTIL_SAID;
    if (isFirst || looks % LOOKS_UNTIL_SAID_AGAIN === 0) await sayHow(answer, isFirst);
    await new Promise<void>((resolve) => after(LOOK_EVERY, resolve));
    const looked = await look();
    if ("exitCode" in looked) return looked;
    ({ answer } = looked);
  }
  return { answer };
}
