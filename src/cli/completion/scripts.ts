// What teaches a shell to complete: each script asks the program itself, line by line `word<TAB>what it means`.
import { ASK, FILES, type Shell } from './shells.js';

/** Written so that the bash of macOS, 3.2, reads it too. */
const BASH = `# Completion of harness for bash. In ~/.bashrc:  eval "$(harness completion bash)"
_harness() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    if [[ $word == '${FILES}' ]]; then
      type compopt >/dev/null 2>&1 && compopt -o default
    else
      COMPREPLY+=("$word")
    fi
  done < <("$1" ${ASK} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _harness harness
`;

const ZSH = `#compdef harness
# Completion of harness for zsh. In ~/.zshrc, after compinit:  eval "$(harness completion zsh)"
_harness() {
  local line
  local -a words_found
  local files=0
  while IFS= read -r line; do
    if [[ $line == '${FILES}' ]]; then
      files=1
    else
      words_found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <("\${words[1]}" ${ASK} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#words_found} )) && _describe -t commands harness words_found
  (( files )) && _files
}
if [[ \${funcstack[1]} == _harness ]]; then _harness "$@"; else compdef _harness harness; fi
`;

const FISH = `# Completion of harness for fish. In ~/.config/fish/config.fish:  harness completion fish | source
function __harness_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -e before[1]
    for line in (harness ${ASK} $before "$current" 2>/dev/null)
        if test "$line" = '${FILES}'
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c harness -f -a '(__harness_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const completionScript = (shell: Shell): string => SCRIPTS[shell];
