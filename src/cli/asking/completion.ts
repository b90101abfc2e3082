// Completes command lines: `rollcall completion SHELL` prints a small script, with which the shell asks this executable
// for the words that may come next.

import { type Argument, type Command, Help, type Option } from "commander";
import type { Instant } from "../../domain/time.ts";
import type { Answer, Input, OperationName } from "../../engine/operations/operations.ts";
import { askService, type SocketCaller } from "./ask-service.ts";
import type { CallFlags } from "./command-hints.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

/**
 * The hidden command that the scripts call. Its arguments are the word that is being typed, then the words before it.
 */
export const COMPLETE = "__complete";

const BASH = `# bash completion for rollcall; put it into /usr/share/bash-completion/completions/rollcall
# or: eval "$(rollcall completion bash)"
_rollcall() {
  local current=\${COMP_WORDS[COMP_CWORD]} word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <("\${COMP_WORDS[0]}" ${COMPLETE} "$current" "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
}
complete -o default -F _rollcall rollcall`;

const ZSH = `#compdef rollcall
# zsh completion for rollcall; put it as _rollcall into a directory of $fpath
# or, after compinit: eval "$(rollcall completion zsh)"
_rollcall() {
  local line
  local -a candidates
  for line in "\${(@f)$("\${words[1]}" ${COMPLETE} "\${words[CURRENT]}" "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#candidates )); then _describe rollcall candidates; else _files; fi
}
if [[ $funcstack[1] == _rollcall ]]; then _rollcall "$@"; else compdef _rollcall rollcall; fi`;

const FISH = `# fish completion for rollcall; put it into ~/.config/fish/completions/rollcall.fish
# or: rollcall completion fish | source
function __rollcall_complete
    set -l words (commandline -opc)
    set -l candidates ($words[1] ${COMPLETE} (commandline -ct) $words[2..-1] 2>/dev/null)
    if set -q candidates[1]
        printf '%s\\n' $candidates
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c rollcall -f -a '(__rollcall_complete)'
complete -c rollcall -l config -r -F
complete -c rollcall -l env-file -r -F
complete -c rollcall -l key-file -r -F`;

export const COMPLETION_SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
};

// Finds the words that may come next on a command line: commands and options, and from the running service keys, slugs
// and numbers. The shell asks while a person types, so errors are not printed.

export interface Candidate {
  readonly word: string;
  /** The text that a shell shows beside the word; empty when there is none. */
  readonly meaning: string;
}

/**
 * Returns the words that may come next. `current` is what has been typed of the last word; `before` are the words
 * before it, without the executable.
 */
export async function completionsFor(
  program: Command,
  current: string,
  before: readonly string[],
  caller: SocketCaller,
): Promise<readonly Candidate[]> {
  const place = placeInCommand(program, before);
  const found = await candidatesAt(place, current, { ...caller, io: SILENT, flags: place.flags });
  return found.filter(({ word }) => word.startsWith(current));
}

const SILENT: SocketCaller["io"] = {
  out: () => {},
  err: () => {},
  width: null,
  color: false,
  input: { isTerminal: false, read: async () => null, readShown: async () => null },
};

type TypedPlace = ReturnType<typeof placeInCommand>;

const WHERE: Readonly<Record<string, keyof CallFlags>> = {
  config: "config",
  "env-file": "envFile",
  remote: "remote",
  "key-file": "keyFile",
};

/**
 * Reads the words before the one that is being typed: the command, its arguments and options. `option` is an option
 * that still waits for its value, which is being typed; `null` when there is none.
 */
function placeInCommand(program: Command, before: readonly string[]) {
  let command = program;
  let option: Option | null = null;
  const args: string[] = [];
  const given: Record<string, string> = {};
  for (const word of before) {
    if (option !== null) {
      given[option.name()] = word;
      option = null;
    } else if (word.startsWith("-"))
      option = allOptions(command).find((one) => one.long === word && one.required) ?? null;
    else {
      const next = command.commands.find((one) => one.name() === word);
      if (next === undefined) args.push(word);
      else command = next;
    }
  }
  const flags: CallFlags = Object.fromEntries(
    Object.entries(WHERE).flatMap(([name, flag]) => (name in given ? [[flag, given[name]]] : [])),
  );
  return { command, option: option as Option | null, args, application: given["app"] ?? null, flags };
}

const allOptions = (command: Command): readonly Option[] => [
  ...command.options,
  ...(command.parent === null ? [] : allOptions(command.parent)),
];

async function candidatesAt(place: TypedPlace, current: string, caller: SocketCaller): Promise<readonly Candidate[]> {
  const { command, option, args, application } = place;
  if (option !== null) return candidatesOf(option.name(), option.argChoices, application, caller);
  if (current.startsWith("-")) return allOptions(command).map(optionCandidate);
  if (command.commands.length > 0) return commandsIn(command);
  if (command.name() === "help") return commandsBelow(command.parent!, args);
  const argument = command.registeredArguments[args.length];
  return argument === undefined
    ? []
    : candidatesOf(argumentName(argument, command), argument.argChoices, application, caller);
}

const optionCandidate = ({ long, short, description }: Option): Candidate =>
  candidate(long ?? short ?? "", description);
const commandCandidate = (command: Command): Candidate => candidate(command.name(), command.description());

/** Returns the commands below this one, without the hidden ones that only rollcall itself runs. */
const commandsIn = (command: Command): readonly Candidate[] =>
  new Help().visibleCommands(command).map(commandCandidate);

function commandsBelow(program: Command, names: readonly string[]): readonly Candidate[] {
  const found = names.reduce<Command | undefined>(
    (command, name) => command?.commands.find((one) => one.name() === name),
    program,
  );
  return found === undefined ? [] : commandsIn(found);
}

/**
 * Returns a name that says what the argument is: `id` alone does not, so it becomes, for example, `key id`. `monitor
 * undelete` takes the key of a deleted monitor, so its argument gets another name than `key`.
 */
function argumentName(argument: Argument, command: Command): string {
  if (argument.name() === "id") return `${command.parent?.name()} id`;
  return command.name() === "undelete" ? `monitor undelete ${argument.name()}` : argument.name();
}

async function candidatesOf(
  name: string,
  choices: readonly string[] | undefined,
  application: string | null,
  caller: SocketCaller,
): Promise<readonly Candidate[]> {
  if (choices !== undefined) return choices.map((word) => ({ word, meaning: "" }));
  const ofApp = application === null ? {} : { application };
  const listed = async <Name extends OperationName>(
    of: Name,
    asked: Partial<Input<Name>>,
    candidatesIn: (answer: Answer<Name>) => readonly Candidate[],
  ): Promise<readonly Candidate[]> => {
    const found = await askService(caller, of, asked);
    return "exitCode" in found ? [] : candidatesIn(found.answer);
  };
  switch (name) {
    case "key":
      return listed("monitor list", ofApp, ({ monitors }) => monitors.map((one) => candidate(one.key, one.status)));
    case "monitor undelete key":
      return listed("monitor deleted", ofApp, ({ deleted }) => deleted.map((one) => candidate(one.key, one.name)));
    case "app":
    case "slug":
      return listed("app list", {}, ({ applications }) => applications.map((one) => candidate(one.slug, one.name)));
    case "key id":
      return listed("key list", {}, ({ keys }) =>
        keys.filter(isUnrevoked).map((one) => candidate(one.id, one.label ?? one.application)),
      );
    case "address id":
      return listed("address list", ofApp, ({ addresses }) =>
        addresses.filter(isUnrevoked).map((one) => candidate(one.id, one.monitorKey ?? one.address)),
      );
    case "admin-key id":
      return listed("admin-key list", {}, ({ keys }) =>
        keys.filter(isUnrevoked).map((one) => candidate(one.id, one.label)),
      );
    case "incident id":
      return listed("incident list", { open: true }, ({ incidents }) =>
        incidents.map((one) => candidate(one.id, one.key)),
      );
    default:
      return [];
  }
}

const isUnrevoked = ({ revokedAt }: { readonly revokedAt: Instant | null }): boolean => revokedAt === null;

const candidate = (word: string | number, meaning: string | null): Candidate => ({
  word: String(word),
  meaning: meaning ?? "",
});
