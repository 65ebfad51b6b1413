# fish completion for cml. Commands, options and their values come from the program's own help, so that
# whatever it can do is completed.

function __cml_commands
    cml --help 2>/dev/null | sed -nE '/^Commands:/,/^$/ s/^  ([a-z]+) +(.*)/\1\t\2/p'
end

# "  -o, --output FILE   description" becomes a line for each spelling.
function __cml_options
    set -l command (commandline -opc)[2]
    for line in (cml $command --help 2>/dev/null | sed -nE 's/^  (-.*)/\1/p')
        set -l parts (string split -m 1 '  ' -- $line)
        for spelling in (string split ', ' -- $parts[1])
            echo (string split ' ' -- $spelling)[1]\t(string trim -- $parts[2])
        end
    end
end

# The values of the option before the cursor, if it has a closed list of them.
function __cml_values
    set -l words (commandline -opc)
    cml $words[2] --help 2>/dev/null |
        sed -nE 's/^  (-[^ ], )?'$words[-1]' ([^ ]+\|[^ ]+).*/\2/p' | string split '|'
end

function __cml_pages
    cml (commandline -opc)[2] 2>/dev/null | sed -nE 's/^  ([^ ]+) +(.*)/\1\t\2/p'
end

complete -c cml -n __fish_use_subcommand -f -a '(__cml_commands)'
complete -c cml -n __fish_use_subcommand -f -l help -d 'show help'
complete -c cml -n __fish_use_subcommand -f -l version -d 'show the version'
complete -c cml -n 'not __fish_use_subcommand' -a '(__cml_options)'
complete -c cml -n 'not __fish_use_subcommand; and test -n "$(__cml_values)"' -f -a '(__cml_values)'
complete -c cml -n '__fish_seen_subcommand_from explain std' -f -a '(__cml_pages)'
