/**
 * Completion for shells: each script asks `zonebook completion SHELL -- WORDS` at every tab, so that it
 * never has to be made again.
 *
 * What it is answered is a line for each candidate, with its meaning behind a tab; `:files` and
 * `:folders` leave it to the shell.
 */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

const bash = String.raw`# Completion of zonebook for bash 4.4 and later: source <(zonebook completion bash)
_zonebook() {
  local -a words=()
  local word last prefix line joins='' i
  # Bash takes words apart at = and : too; here they are whole again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == [=:]* && \${#words[@]} -gt 0 ]]; then
      words[-1]+=$word
      joins=1
    elif [[ -n $joins ]]; then
      words[-1]+=$word
      joins=''
    else
      words+=("$word")
    fi
  done
  # Only what stands behind the last of them is replaced.
  last=\${words[-1]}
  prefix=''
  if [[ $last == *[=:]* ]]; then prefix=\${last%"\${last##*[=:]}"}; fi
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null ;;
      :folders) compopt -o dirnames 2>/dev/null ;;
      *)
        word=\${line%%$'\t'*}
        COMPREPLY+=("\${word#"$prefix"}")
        ;;
    esac
  done < <("$1" completion bash -- "\${words[@]}" 2>/dev/null)
}
complete -F _zonebook zonebook
`;

const zsh = String.raw`#compdef zonebook
# Completion of zonebook for zsh: source <(zonebook completion zsh), or a file _zonebook in $fpath.
_zonebook() {
  local -a lines candidates
  local line word
  lines=("\${(@f)$("\${(Q)words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      (:files) compset -P '--*='; _files; return ;;
      (:folders) compset -P '--*='; _files -/; return ;;
      (*$'\t'*)
        word=\${line%%$'\t'*}
        candidates+=("\${word//:/\\:}:\${line#*$'\t'}")
        ;;
      (*) candidates+=("\${line//:/\\:}") ;;
    esac
  done
  (( $#candidates )) && _describe -t zonebook zonebook candidates
}
if [[ $funcstack[1] == _zonebook ]]; then
  _zonebook "$@"
else
  compdef _zonebook zonebook
fi
`;

const fish = `# Completion of zonebook for fish: zonebook completion fish | source
function __zonebook_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l current (commandline -ct)
    # Of --file=NAME the shell knows how to complete NAME.
    set -l parts (string match -r '^((?:--[^=]*=)?)(.*)$' -- "$current")
    for line in ($program completion fish -- $words "$current" 2>/dev/null)
        switch $line
            case ':files'
                for path in (__fish_complete_path $parts[3])
                    echo "$parts[2]$path"
                end
            case ':folders'
                for path in (__fish_complete_directories $parts[3])
                    echo "$parts[2]$path"
                end
            case '*'
                echo $line
        end
    end
end
complete -c zonebook -f -a '(__zonebook_complete)'
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };

export function completionScript(shell: Shell): string {
  // A template would take a dollar sign in front of a brace for its own.
  return scripts[shell].replaceAll('\\${', '${');
}
