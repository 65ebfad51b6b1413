# bash completion for cml. Commands, options and their values come from the program's own help, so that
# whatever it can do is completed.

# The options of a command, one a line: all spellings, then the values between bars or the value's name.
_cml_options() {
  cml "$@" --help 2> /dev/null | sed -nE 's/^  (-[^ ]( ?[^ ]+)*).*/\1/p'
}

_cml() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local words=() line value
  COMPREPLY=()

  if ((COMP_CWORD == 1)); then
    mapfile -t words < <(cml --help 2> /dev/null | sed -nE '/^Commands:/,/^$/ s/^  ([a-z]+) .*/\1/p')
    if [[ $current == -* ]]; then words=(--help --version); fi
    mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$current")
    return
  fi

  while read -r line; do
    # "-o, --output FILE": the last word is a value if it does not look like an option.
    value=${line##* }
    if [[ $value == -* ]]; then value=; else line=${line% *}; fi
    if [[ -n $value && ", $line, " == *", $previous, "* ]]; then
      case $value in
        *'|'*) mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$current") ;;
        FILE | *.json | *.cml) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      esac
      return
    fi
    # shellcheck disable=SC2206  # the spellings are words
    words+=(${line//,/})
  done < <(_cml_options "$command")

  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$current")
  elif [[ $command == explain || $command == std ]]; then
    mapfile -t words < <(cml "$command" 2> /dev/null | sed -nE 's/^  ([^ ]+) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$current")
  else
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.@(cml|json)' -- "$current")
  fi
}

complete -F _cml cml
