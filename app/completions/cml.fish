# fish completion for cml
complete -c cml -l help -d 'print help'
complete -c cml -l version -d 'print the version'
