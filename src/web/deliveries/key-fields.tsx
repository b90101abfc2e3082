// Draws the keys of a destination's type as fields of a form: each key is one of the operation's settings.

import type { TSchema } from "typebox";
import type { DestinationKind, ShownDestination } from "../../engine/engine-settings.ts";
import { optionalChoice, optionalText, text } from "../../engine/operations/fields.ts";
import { Tick } from "../parts/field.tsx";
import { type FilledIn, KeysField, More } from "../parts/operation-form.tsx";
import { REMOVED_SECRETS_FIELD } from "../read-form.ts";

type KindKey = DestinationKind["keys"][number];

interface KeyFieldsProps extends FilledIn {
  readonly kind: DestinationKind;
  /** The destination to change, whose secrets stay when their fields are left empty; `null` for a new one. */
  readonly changes: ShownDestination | null;
}

/**
 * The schemas of the keys, by which their fields are drawn. `changes` says that the destination exists already, so that
 * the field of a secret may be left empty.
 */
export const destinationKeySchemas = (
  { keys }: Pick<DestinationKind, "keys">,
  changes: boolean,
): Record<string, TSchema> =>
  Object.fromEntries(
    keys.map(({ key, label, choices, needed, secret, meaning, example }) => {
      const isAsked = needed && !(changes && secret);
      const description =
        meaning + emptyFieldHelp({ isAsked, stays: changes && secret, isSaid: /left out/i.test(meaning) });
      const sample = changes ? "" : example;
      const [first, ...others] = choices;
      if (first !== undefined)
        return [key, optionalChoice([first, ...others], { description, form: { label, none: "as usual" } })];
      const notes = { description, form: { label, sample } };
      return [key, isAsked ? text(notes) : optionalText(notes)];
    }),
  );

/** Says in the help of a field what leaving the field empty means. */
function emptyFieldHelp({
  isAsked,
  stays,
  isSaid,
}: Readonly<{ isAsked: boolean; stays: boolean; isSaid: boolean }>): string {
  if (stays) return " Left empty, it stays as it is.";
  return isAsked || isSaid ? "" : " May be left out.";
}

export const KeyFields = ({ kind, changes, ...filledIn }: KeyFieldsProps) => {
  const [hearing, own] = [true, false].map((hears) => kind.keys.filter((key) => key.hearing === hears));
  const shown = Object.fromEntries(kind.keys.map((key) => [key.key, { value: firstIn(key, changes) }]));
  return (
    <>
      <KeysField schemas={destinationKeySchemas({ keys: own! }, changes !== null)} shown={shown} {...filledIn} />
      {changes === null ? null : <RemoveSecretTicks keys={own!} {...filledIn} />}
      <More says="Which alerts go there, and when…" names={hearing!.map(({ key }) => key)} shown={shown} {...filledIn}>
        <KeysField schemas={destinationKeySchemas({ keys: hearing! }, changes !== null)} shown={shown} {...filledIn} />
      </More>
    </>
  );
};

const firstIn = ({ key, suggestion }: KindKey, changes: ShownDestination | null): string =>
  changes === null ? (suggestion ?? "") : (writtenDestinationSettings(changes)[key] ?? "");

/** The box that removes a secret, because an empty field leaves a secret as it is. */
const RemoveSecretTicks = ({ keys, typed = null }: FilledIn & Pick<DestinationKind, "keys">) => (
  <>
    {keys.map(({ key, label, needed, secret }) =>
      needed || !secret ? null : (
        <Tick
          key={key}
          name={REMOVED_SECRETS_FIELD}
          value={key}
          checked={typed?.getAll(REMOVED_SECRETS_FIELD).includes(key) ?? false}
        >
          Without {label.toLowerCase()}
        </Tick>
      ),
    )}
  </>
);

/** The settings of a destination by key, without its secrets. */
export const writtenDestinationSettings = ({ settings }: ShownDestination): Readonly<Record<string, string>> =>
  Object.fromEntries(settings.flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));
