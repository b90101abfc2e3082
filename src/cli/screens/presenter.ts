// The four ways to print an operation's answer: as a list, as lines about one thing, by a function, or after waiting
// for what the operation began.

import type { Answer, Input, OperationName, WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Ask, Screen } from "../asking/ask-service.ts";
import { after } from "../clock.ts";
import type { Io } from "../io.ts";
import type { TableRow } from "./table.ts";

/**
 * Prints a list: as a table for people, or its items as JSON for programs. For an empty list, people read the sentence
 * of `none`. The lines of `beside` always go to stderr.
 */
interface ListPresenter<Name extends OperationName> {
  /** Returns the items of an answer, which is given as it is in memory or as it is written in JSON. */
  items(answer: Answer<Name> | WrittenAnswer<Name>): readonly object[];
  /** True when columns that have only dashes are left out. */
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

/**
 * Prints what becomes of something that the operation began, such as a test: asks the service again until that has
 * ended.
 */
interface DialoguePresenter<Name extends OperationName> {
  /**
   * Waits until what the operation began has ended. `ended` is the service's last answer as JSON; `null` when the
   * service could not be asked any more.
   */
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

/** How many milliseconds to wait before the service is asked again. */
const LOOK_EVERY = 50;
/**
 * After how many questions to the service a line tells how far the operation is: first after a second, then every ten
 * seconds.
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
