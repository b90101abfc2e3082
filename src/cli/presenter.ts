// How the answer of an operation becomes a screen, as types: a list, one thing, or a few sentences. What is asked and
// answered, and `--json`, derive from the table of operations.

import type { Input, OperationName, WrittenAnswer } from "../engine/operations/operations.ts";
import type { Io } from "./io.ts";
import type { Ask, Screen } from "./socket-client.ts";

/** A table for people; the same rows as JSON. An empty one, and what stands `beside` it, is said on stderr. */
interface ListPresenter<Name extends OperationName> {
  readonly kind: "list";
  items(answer: WrittenAnswer<Name>): readonly object[];
  head(screen: Screen): readonly string[];
  rows(answer: WrittenAnswer<Name>, screen: Screen): readonly (readonly string[])[];
  /** Said where there is none. */
  none(asked: Partial<Input<Name>>, screen: Screen): string;
  beside?(answer: WrittenAnswer<Name>, screen: Screen): readonly string[];
}

/** All of the answer, in lines for people or as JSON. */
interface ThingPresenter<Name extends OperationName> {
  readonly kind: "thing";
  lines(answer: WrittenAnswer<Name>, screen: Screen): readonly string[];
}

/** What an operation did. */
interface DeedPresenter<Name extends OperationName> {
  readonly kind: "deed";
  say(deed: Deed<Name>): void;
}

/** What an operation began, and what is asked again until it has ended. */
interface DialoguePresenter<Name extends OperationName> {
  readonly kind: "dialogue";
  /** Answers the exit code. */
  hold(deed: Deed<Name>): Promise<number>;
}

export interface Deed<Name extends OperationName> {
  readonly answer: WrittenAnswer<Name>;
  readonly asked: Partial<Input<Name>>;
  readonly screen: Screen;
  readonly io: Io;
  readonly ask: Ask;
}

export type Presenter<Name extends OperationName> =
  | ListPresenter<Name>
  | ThingPresenter<Name>
  | DeedPresenter<Name>
  | DialoguePresenter<Name>;

/** Said beside a list that was cut short. */
export const olderOnes = (shown: number, more: boolean): readonly string[] =>
  more ? [`these are the newest ${shown}; there are older ones, --limit shows more`] : [];
