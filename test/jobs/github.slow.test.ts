// The recipe for GitHub Actions, and the action in packaging/github-action: held against the schemas of GitHub, and
// each step run by bash as a runner runs it, with its expressions evaluated by GitHub's own library.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ValidationState, validateAction, validateWorkflow } from "@action-validator/core";
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";
import { DEAD_ADDRESS, type Ended, isInstalled, startCommand } from "../support/clients.ts";
import { firstKeyOf, openFolder, ROOT, type Service } from "../support/executable.ts";
import { recipeFor } from "../support/recipes.ts";

setDefaultTimeout(120_000);

const ACTION_PATH = join(ROOT, "packaging/github-action");
const ACTION_TEXT = readFileSync(join(ACTION_PATH, "action.yml"), "utf8");
const WORKFLOW_TEXT = recipeFor(".github/workflows/nightly.yml");

type Strings = Readonly<Record<string, string>>;
type Contexts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly { readonly run: string; readonly env: Strings }[] };
}

interface Workflow {
  readonly jobs: {
    readonly nightly: { readonly steps: readonly { readonly uses?: string; readonly with: Strings }[] };
  };
}

const ACTION = Bun.YAML.parse(ACTION_TEXT) as Action;
const STEPS = (Bun.YAML.parse(WORKFLOW_TEXT) as Workflow).jobs.nightly.steps.filter(({ uses }) =>
  uses?.includes("rollcall"),
);

/** A text with the values of its expressions. */
const evaluated = (text: string, contexts: Contexts): string =>
  text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    const tree = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), []).parse();
    const known = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
    return new Evaluator(tree, known).evaluate().coerceString();
  });

const valuesOf = (texts: Strings, contexts: Contexts): Strings =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, evaluated(String(text), contexts)]));

/** What the runner of a job knows. */
const contextsOf = (key: string, status: string): Contexts => ({
  github: { run_id: 1234567890, job: "nightly" },
  secrets: { ROLLCALL_KEY: key },
  job: { status },
});

/** Runs the action with these inputs as they stand in a workflow. */
async function runAction(inputs: Strings, contexts: Contexts, attempt = 1): Promise<Ended> {
  const defaults = Object.fromEntries(
    Object.entries(ACTION.inputs).map(([name, input]) => [name, input.default ?? ""]),
  );
  const values = valuesOf({ ...defaults, ...inputs }, contexts);
  const [step] = ACTION.runs.steps;
  const environment = {
    ...valuesOf(step!.env, { inputs: values }),
    GITHUB_ACTION_PATH: ACTION_PATH,
    GITHUB_RUN_ATTEMPT: String(attempt),
  };
  return startCommand(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step!.run], environment).ended;
}

/** The inputs of the first or the last step of the recipe, at this address. */
const inputsOf = (place: number, url: string, more: Strings = {}): Strings => ({ ...STEPS[place]!.with, url, ...more });

const reported = (what: string): Ended => ({ exitCode: 0, screen: `${what} was reported.\n` });

test("GitHub's schemas take the action and the workflow, and a fault is found", () => {
  expect(validateAction(ACTION_TEXT).errors).toEqual([]);
  expect(validateWorkflow(WORKFLOW_TEXT).errors).toEqual([]);
  const faulty: ValidationState[] = [
    validateAction(ACTION_TEXT.replace("using: composite", "using: shell")),
    validateWorkflow(WORKFLOW_TEXT.replace("runs-on", "run-on")),
  ];
  for (const { errors } of faulty) expect(errors).not.toEqual([]);
});

test("the workflow gives the action nothing that it does not take, and is told at both ends", () => {
  expect(STEPS).toHaveLength(2);
  for (const step of STEPS)
    expect(Object.keys(step.with).filter((name) => ACTION.inputs[name] === undefined)).toEqual([]);
});

describe.skipIf(!isInstalled("curl"))("the action", () => {
  const everything = "SELECT kind, attempt, message FROM pings ORDER BY id";

  test.concurrent.each([
    { status: "success", end: "complete", message: null },
    { status: "failure", end: "fail", message: null },
    { status: "cancelled", end: "fail", message: "cancelled" },
  ])("reports the start of a job, and $status as $end", async ({ status, end, message }) => {
    await using folder = openFolder();
    const service = await folder.serve();
    const contexts = contextsOf(firstKeyOf(service), status);
    expect(await runAction(inputsOf(0, service.url), contexts)).toEqual(reported("The start of nightly"));
    expect(await runAction(inputsOf(1, service.url), contexts)).toEqual(reported(`The ${end} of nightly`));
    expect(folder.rows(everything)).toEqual([
      { kind: "start", attempt: 0, message: null },
      { kind: end, attempt: 0, message },
    ]);
    expect(folder.rows("SELECT run_id, ended_by AS end, legacy FROM runs")).toEqual([
      { run_id: "1234567890-nightly", end, legacy: 0 },
    ]);
    expect(
      folder.rows("SELECT schedule, timezone, grace_seconds AS grace, max_runtime_seconds AS longest FROM monitors"),
    ).toEqual([{ schedule: "17 2 * * *", timezone: "UTC", grace: 3600, longest: 7200 }]);
  });

  test.concurrent("reports a run that somebody starts again as another try", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const failed = contextsOf(firstKeyOf(service), "failure");
    await runAction(inputsOf(0, service.url), failed);
    await runAction(inputsOf(1, service.url), failed);
    await runAction(inputsOf(0, service.url), failed, 2);
    await runAction(inputsOf(1, service.url), contextsOf(firstKeyOf(service), "success"), 2);
    expect(folder.rows(everything).map(({ kind, attempt }) => [kind, attempt])).toEqual([
      ["start", 0],
      ["fail", 0],
      ["start", 1],
      ["complete", 1],
    ]);
    expect(folder.rows("SELECT 1 FROM incidents WHERE closed_at IS NULL")).toEqual([]);
  });

  test.concurrent("takes a name of any letters, and text that the shell or the runner would obey", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const monitor = "Nächtlicher Bau/$(id) 100%";
    const message = "a & b\n::error::c `id` \"d\" 'e' =?";
    const contexts = contextsOf(firstKeyOf(service), "failure");
    expect((await runAction(inputsOf(0, `${service.url}/`, { monitor }), contexts)).exitCode).toBe(0);
    const ended = await runAction(inputsOf(1, service.url, { monitor, message }), contexts);
    expect(ended).toEqual(reported(`The fail of ${monitor}`));
    expect(folder.rows("SELECT key FROM monitors")).toEqual([{ key: monitor }]);
    expect(folder.rows("SELECT message FROM pings WHERE kind = 'fail'")).toEqual([
      { message: message.replace("\n", " ") },
    ]);
  });

  const WARNING = "::warning title=rollcall::";

  const mistaken = (service: Service): [string, Strings, string][] => [
    ["a key that is none", { key: "ck_app_default_x" }, "rollcall refused the start of nightly: "],
    ["nobody to report to", { url: DEAD_ADDRESS }, "the start of nightly was not reported: "],
    ["a schedule that is none", { schedule: "soon" }, "rollcall refused the start of nightly: "],
    ["a status that is none", { status: "over\n::error::x" }, "nothing was reported: status must be "],
    ["an address that is missing", { url: "" }, "nothing was reported: url is empty"],
    ["a secret that is missing", { key: "", url: service.url }, "nothing was reported: key is empty"],
  ];

  test.concurrent("warns in one line of whatever goes wrong, and never fails the job or shows the key", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    for (const [what, inputs, warning] of mistaken(service)) {
      const { exitCode, screen } = await runAction(inputsOf(0, service.url, inputs), contextsOf(key, "success"));
      expect([what, exitCode]).toEqual([what, 0]);
      expect(screen).toStartWith(WARNING + warning);
      expect(screen.trimEnd().split("\n")).toHaveLength(1);
      expect(screen).not.toContain(key);
    }
    expect(folder.rows(everything)).toEqual([]);
  });
});
