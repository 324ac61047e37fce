# Completion of rondo's command line for bash; installed as completions/rondo.
_rondo() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} i
  COMPREPLY=()
  case $before in
  --backend) COMPREPLY=($(compgen -W 'uring epoll' -- "$word")); return ;;
  --input-type) COMPREPLY=($(compgen -W 'module commonjs' -- "$word")); return ;;
  --unhandled-rejections) COMPREPLY=($(compgen -W 'throw strict warn none warn-with-error-codes' -- "$word")); return ;;
  --env-file | --watch-path | -r | --require | --import) COMPREPLY=($(compgen -f -- "$word")); return ;;
  --by) COMPREPLY=($(compgen -W 'output status' -- "$word")); return ;;
  --dump-on) COMPREPLY=($(compgen -W 'USR1 USR2 HUP' -- "$word")); return ;;
  --limit) COMPREPLY=($(compgen -W '64M 256M 1G' -- "$word")); return ;;
  --stall-dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
  -o | --output | --stall-log | --input | --film) COMPREPLY=($(compgen -f -- "$word")); return ;;
  --from | --to | --runs | --jobs | --seed | --longest | --timeout | --patience | --outside | --match | --stall | --stall-run | --interval | --port | --stack-trace-limit | -C | --conditions | -e | --eval | -p | --print) return ;;
  esac
  if [[ $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W 'exec trace sim orders step learn top why dump doctor help version --eval --print --require --import --check --interactive --watch --watch-path --watch-preserve-output --env-file --conditions --input-type --unhandled-rejections --stack-trace-limit --enable-source-maps --insecure-http-parser --max-http-header-size --grouped-ticks --trace-warnings --trace-deprecation --no-warnings --no-deprecation --throw-deprecation --version --help' -- "$word")
      $(compgen -f -X '!*.@(js|cjs|mjs|ts|cts|mts)' -- "$word") $(compgen -d -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then # a program, and its own arguments
      ((i + 1 == COMP_CWORD)) && COMPREPLY=($(compgen -c -- "$word")) || COMPREPLY=($(compgen -f -- "$word"))
      return
    fi
  done
  case $command in
  trace)
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W '--text --turns --json --compare --output --keep --from --to --limit --attach --for --every --backend --verbose --help --' -- "$word"))
    else
      COMPREPLY=($(compgen -f -X '!*.@(js|cjs|mjs|rtrace)' -- "$word") $(compgen -d -- "$word"))
    fi ;;
  sim)
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W '--runs --jobs --isolate --share --search --choices --shard --merge --seed --time-only --faults --date --longest --expire --timeout --patience --outside --match --keep-going --no-shrink --output --json --verbose --help --' -- "$word"))
    else
      COMPREPLY=($(compgen -f -X '!*.@(js|cjs|mjs)' -- "$word") $(compgen -d -- "$word"))
    fi ;;
  orders)
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W '--by --of --search --shard --no-story --runs --jobs --isolate --share --date --longest --timeout --patience --json --help --' -- "$word"))
    else
      COMPREPLY=($(compgen -f -X '!*.@(js|cjs|mjs)' -- "$word") $(compgen -d -- "$word"))
    fi ;;
  step)
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W '--seed --choices --input --film --outcomes --web --port --json --date --longest --timeout --patience --help --' -- "$word"))
    else
      COMPREPLY=($(compgen -f -X '!*.@(js|cjs|mjs)' -- "$word") $(compgen -d -- "$word"))
    fi ;;
  exec)
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W '--backend --verbose --check --record --names --stall --stall-run --stall-dir --stall-log --dump-on --help --' -- "$word"))
    else
      COMPREPLY=($(compgen -c -- "$word"))
    fi ;;
  top) COMPREPLY=($(compgen -W '--once --json --interval --web --port --metrics --help' -- "$word")) ;;
  doctor)
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W '--json --help' -- "$word"))
    else
      COMPREPLY=($(compgen -c -- "$word"))
    fi ;;
  why) COMPREPLY=($(compgen -f -W '--json --help' -- "$word")) ;;
  dump) COMPREPLY=($(compgen -W '--output --help' -- "$word")) ;;
  help) COMPREPLY=($(compgen -W 'exec trace sim orders step learn top why dump doctor' -- "$word")) ;;
  *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _rondo rondo
