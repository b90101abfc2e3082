// Draws a field of a form: its label, its value, and below it what is wrong with the value and what the value means.

import type { Child, PropsWithChildren } from "hono/jsx";

interface FieldFrame {
  readonly label: string;
  readonly name: string;
  /** The id of the field; absent to use its name. It is given when the page has another field with this name. */
  readonly id?: string;
  readonly hint?: Child;
  /** `true` when the hint is updated while a person types. */
  readonly follows?: boolean;
  /** The problem with the value; `null` when there is none. */
  readonly wrong?: string | null;
}

interface FieldProps extends FieldFrame {
  readonly autocomplete?: string;
  readonly type?: "text" | "password" | "datetime-local";
  readonly value?: string;
  readonly placeholder?: string | undefined;
  readonly maxlength?: number | undefined;
  readonly optional?: boolean;
  readonly disabled?: boolean;
  readonly autofocus?: boolean;
  /** Suggested values; any other value may be typed, too. Absent when there are none. */
  readonly offered?: readonly string[];
}

export const Field = ({ autocomplete = "off", type = "text", optional = false, ...props }: FieldProps) => (
  <Frame {...props}>
    <input
      {...boxOf(props)}
      type={type}
      value={props.value}
      placeholder={props.placeholder}
      maxlength={props.maxlength}
      required={!optional}
      disabled={props.disabled}
      autofocus={props.autofocus}
      autocomplete={autocomplete}
      autocapitalize="none"
      spellcheck={false}
      list={props.offered === undefined ? undefined : `${props.id ?? props.name}-offered`}
    />
    {props.offered === undefined ? null : (
      <datalist id={`${props.id ?? props.name}-offered`}>
        {props.offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    )}
  </Frame>
);

/** A field for several values, one in each line. */
export const LinesField = ({ value, ...props }: FieldFrame & { readonly value: string }) => (
  <Frame {...props}>
    <textarea {...boxOf(props)} rows={2} spellcheck={false}>
      {value}
    </textarea>
  </Frame>
);

export type FormChoice = readonly [value: string, words: string];

export const choicesOf = (values: readonly string[]): FormChoice[] => values.map((value) => [value, value]);

interface ChoiceProps extends FieldFrame {
  readonly of: readonly FormChoice[];
  readonly chosen: string;
  readonly disabled?: boolean;
}

export const ChoiceField = ({ of, chosen, disabled = false, ...props }: ChoiceProps) => (
  <Frame {...props}>
    <select {...boxOf(props)} disabled={disabled}>
      {of.map(([value, words]) => (
        <option key={value} value={value} selected={value === chosen}>
          {words}
        </option>
      ))}
    </select>
  </Frame>
);

interface ChoicesProps extends FieldFrame {
  readonly of: readonly FormChoice[];
  readonly chosen: readonly string[];
}

export const ChoicesField = ({ label, name, id = name, hint, wrong = null, of, chosen }: ChoicesProps) => (
  <fieldset class="choices" aria-describedby={describedBy({ id, hint, wrong })}>
    <legend>{label}</legend>
    {of.map(([value, words]) => (
      <Tick key={value} name={name} value={value} checked={chosen.includes(value)}>
        {words}
      </Tick>
    ))}
    <Said id={id} hint={hint} wrong={wrong} />
  </fieldset>
);

/** A field to choose all values, or some of them. All includes values that are added later. */
export const AllOrSomeField = ({
  of,
  chosen,
  ...props
}: Omit<ChoicesProps, "chosen"> & { chosen: readonly string[] | null }) => {
  const { label, name, id = name, hint, wrong = null } = props;
  return (
    <fieldset class="choices" aria-describedby={describedBy({ id, hint, wrong })}>
      <legend>{label}</legend>
      <label>
        <input type="radio" name={name} value={ALL_OF} checked={chosen === null} /> all, also later ones
      </label>
      <label>
        <input type="radio" name={name} value="" checked={chosen !== null} /> only these:
      </label>
      <div class="choices-some">
        {of.map(([value, words]) => (
          <Tick key={value} name={name} value={value} checked={chosen?.includes(value) ?? false}>
            {words}
          </Tick>
        ))}
      </div>
      <Said id={id} hint={hint} wrong={wrong} />
    </fieldset>
  );
};

/** The name of the field for the search among the jobs. */
export const FIND_JOBS = "find-jobs";

/** The jobs that a form offers with a box to tick. */
export interface JobsOffered {
  /** The part of a name that the person searched for; empty when there is no search. */
  readonly find: string;
  /** The offered jobs: the key of each, and its words. */
  readonly jobs: readonly FormChoice[];
  /** How many jobs the search finds besides those in `jobs`. */
  readonly more: number;
  readonly isAnyFound: boolean;
  /** The choices that are no job: patterns, labels, and keys that no job has. */
  readonly others: readonly string[];
}

interface JobsFieldProps extends FieldFrame {
  readonly of: JobsOffered;
  /** The chosen jobs; `null` for all jobs, also those that are added later. */
  readonly chosen: readonly string[] | null;
}

/** A field to choose all jobs, or some of them. A person finds jobs by name and ticks them, or writes a pattern. */
export const JobsField = ({ of: { find, jobs, more, isAnyFound, others }, chosen, ...props }: JobsFieldProps) => {
  const { label, name, id = name, hint, wrong = null } = props;
  return (
    <fieldset class="choices" aria-describedby={describedBy({ id, hint, wrong })}>
      <legend>{label}</legend>
      <label>
        <input type="radio" name={name} value={ALL_OF} checked={chosen === null} /> all, also later ones
      </label>
      <label>
        <input type="radio" name={name} value="" checked={chosen !== null} /> only these:
      </label>
      <div class="choices-some">
        <p class="choices-find">
          <input
            type="search"
            name={FIND_JOBS}
            value={find}
            placeholder="Find by name"
            aria-label="Find jobs by name"
          />
          <ShowAgain>Show</ShowAgain>
        </p>
        <div id={`${id}-found`} class="choices-found" data-follows>
          <small role="status">
            {isAnyFound ? (more === 0 ? "" : `${more} more: write a part of the name.`) : "No job is called that."}
          </small>
          <div>
            {jobs.map(([key, words]) => (
              <Tick key={key} id={`${id}-${key}`} name={name} value={key} checked={chosen?.includes(key) ?? false}>
                {words}
              </Tick>
            ))}
          </div>
        </div>
        <details class="more" open={others.length > 0}>
          <summary>By a pattern or label</summary>
          <textarea name={name} rows={2} spellcheck={false} aria-label="Patterns and labels, one a line">
            {others.join("\n")}
          </textarea>
          <small>One a line: backup-* stands for all whose keys begin with it, label:db for all with this label.</small>
        </details>
      </div>
      <Said id={id} hint={hint} wrong={wrong} />
    </fieldset>
  );
};

/** The button for browsers without script: it shows the form again with the typed values and what they mean. */
export const ShowAgain = ({ children }: PropsWithChildren) => (
  <noscript>
    <button type="submit" class="button is-plain" formmethod="get" formnovalidate>
      {children}
    </button>
  </noscript>
);

/** The value that a form sends when all values or jobs are chosen. */
export const ALL_OF = "*";

/** A box to tick. `id` lets the browser find the same box again in an updated list. */
type TickProps = PropsWithChildren<Readonly<{ name: string; value: string; checked: boolean; id?: string }>>;

export const Tick = ({ children, id, ...box }: TickProps) => (
  <label id={id}>
    <input type="checkbox" {...box} /> {children}
  </label>
);

export const FlagField = ({ label, name, checked }: FieldFrame & { readonly checked: boolean }) => (
  <Tick name={name} value="yes" checked={checked}>
    {label}
  </Tick>
);

const Frame = ({
  label,
  name,
  id = name,
  hint,
  follows = false,
  wrong = null,
  children,
}: PropsWithChildren<FieldFrame>) => (
  <p class="field">
    <label for={id}>{label}</label>
    {children}
    <Said id={id} hint={hint} follows={follows} wrong={wrong} />
  </p>
);

type SaidProps = Required<Pick<FieldFrame, "id" | "wrong">> & Pick<FieldFrame, "hint" | "follows">;

const Said = ({ id, hint, follows = false, wrong }: SaidProps) => (
  <>
    {wrong === null ? null : (
      <strong id={`${id}-wrong`} class="wrong" role="alert">
        {wrong}
      </strong>
    )}
    {hint === undefined ? null : (
      <small id={`${id}-hint`} {...(follows && { "data-follows": true, role: "status" })}>
        {hint}
      </small>
    )}
  </>
);

const boxOf = ({ name, id = name, hint, wrong = null }: FieldFrame) => ({
  id,
  name,
  "aria-describedby": describedBy({ id, hint, wrong }),
  "aria-invalid": wrong === null ? undefined : ("true" as const),
});

const describedBy = ({ id, hint, wrong }: SaidProps): string | undefined =>
  [...(wrong === null ? [] : [`${id}-wrong`]), ...(hint === undefined ? [] : [`${id}-hint`])].join(" ") || undefined;

/** Says what is wrong with a form, where that is not about a single field. */
export const Wrong = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p class="wrong" role="alert">
      {text}
    </p>
  );
