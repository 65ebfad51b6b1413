# bash completion for cml
_cml() {
  local current=${COMP_WORDS[COMP_CWORD]}
  mapfile -t COMPREPLY < <(compgen -W "--help --version" -- "$current")
}
complete -F _cml cml
