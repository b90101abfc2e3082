// `rollcall completion SHELL`: a small script by which the shell asks this executable what could be typed next. All
// knowledge of commands stays here, so a script need not be renewed with a new version.

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** How scripts ask: the word that is being typed, then the words before it. */
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
    $words[1] ${COMPLETE} (commandline -ct) $words[2..-1] 2>/dev/null
end
complete -c rollcall -f -a '(__rollcall_complete)'
complete -c rollcall -l config -r -F
complete -c rollcall -l env-file -r -F
complete -c rollcall -l key-file -r -F`;

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const completionScript = (shell: (typeof SHELLS)[number]): string => SCRIPTS[shell];
