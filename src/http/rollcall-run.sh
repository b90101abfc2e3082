#!/bin/sh
# rollcall-run: runs a job's command and reports its start and its end to rollcall, with curl or wget, where the program
# rollcall itself does not fit. `rollcall-run --help` says how; docs/clients.md says what it lacks beside `rollcall run`.

usage() {
  cat <<'END'
Usage: rollcall-run [options] MONITOR -- COMMAND [ARGUMENT ...]

runs COMMAND, and reports its start and its end to rollcall

  --schedule CRON        when the job is expected, such as '0 2 * * *'
  --every DURATION       instead: how far runs may be apart, such as 25h
  --timezone ZONE        the zone of the schedule (default: this machine's)
  --grace DURATION       how late it may be, such as 15m
  --name NAME            what people read instead of MONITOR
  --max-runtime DURATION how long a run may take; rollcall tells of a longer one
  --kill-after DURATION  end the job at --max-runtime, and kill it so much later
  --success-codes CODES  exit codes that are a success beside 0, such as 24,100
  --output-from-stderr   send the last lines on stderr with a failure

Where to report: ROLLCALL_URL and ROLLCALL_KEY, or url and key (or key_file) in
~/.config/rollcall/client.toml or /etc/rollcall/client.toml. ROLLCALL_SCHEDULE,
ROLLCALL_EVERY, ROLLCALL_TIMEZONE, ROLLCALL_GRACE, ROLLCALL_NAME,
ROLLCALL_MAX_RUNTIME and ROLLCALL_KILL_AFTER stand for the options.

The exit status is the command's; 2 says that rollcall-run was called wrongly.
END
}

say() { printf 'rollcall-run: %s\n' "$1" >&2; }
misused() {
  say "$1; rollcall-run --help says how it is called"
  exit 2
}

# Seconds of 90s, 15m, 25h or 2d.
seconds() {
  number=${1%[smhd]}
  case $number in '' | *[!0-9]* | ????????*) misused "$2 takes a duration such as 90s, 15m, 25h or 2d, not \"$1\"" ;; esac
  # A leading zero would make it octal.
  number=${number#"${number%%[!0]*}"}
  case $1 in
    *m) echo $((${number:-0} * 60)) ;;
    *h) echo $((${number:-0} * 3600)) ;;
    *d) echo $((${number:-0} * 86400)) ;;
    *s) echo "${number:-0}" ;;
    *) misused "$2 takes a duration such as 90s, 15m, 25h or 2d, not \"$1\"" ;;
  esac
}

schedule=${ROLLCALL_SCHEDULE-} every=${ROLLCALL_EVERY-} timezone=${ROLLCALL_TIMEZONE-} grace=${ROLLCALL_GRACE-}
name=${ROLLCALL_NAME-} max_runtime=${ROLLCALL_MAX_RUNTIME-} kill_after=${ROLLCALL_KILL_AFTER-}
success_codes='' output='' monitor=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h)
      usage
      exit 0
      ;;
    --)
      shift
      break
      ;;
    --output-from-stderr) output=1 ;;
    --*=*)
      option=${1%%=*} value=${1#*=}
      shift
      set -- "$option" "$value" "$@"
      continue
      ;;
    --schedule | --every | --timezone | --grace | --name | --max-runtime | --kill-after | --success-codes)
      [ $# -gt 1 ] || misused "$1 needs a value"
      case $1 in
        --schedule) schedule=$2 ;;
        --every) every=$2 ;;
        --timezone) timezone=$2 ;;
        --grace) grace=$2 ;;
        --name) name=$2 ;;
        --max-runtime) max_runtime=$2 ;;
        --kill-after) kill_after=$2 ;;
        --success-codes) success_codes=$2 ;;
      esac
      shift
      ;;
    -*) misused "there is no option $1" ;;
    *)
      [ -z "$monitor" ] || misused "\"$1\" stands before --, and one monitor was named already"
      monitor=$1
      ;;
  esac
  shift
done
[ -n "$monitor" ] || misused "no monitor is named"
[ $# -gt 0 ] || misused "there is no command behind --"
case $success_codes in *[!0-9,]*) misused "--success-codes takes numbers such as 24,100, not \"$success_codes\"" ;; esac
if [ -n "$every" ]; then seconds "$every" --every >/dev/null || exit 2; fi
if [ -n "$grace" ]; then grace=$(seconds "$grace" --grace) || exit 2; fi
if [ -n "$max_runtime" ]; then max_runtime=$(seconds "$max_runtime" --max-runtime) || exit 2; fi
if [ -n "$kill_after" ]; then
  [ -n "$max_runtime" ] || misused "--kill-after needs --max-runtime"
  kill_after=$(seconds "$kill_after" --kill-after) || exit 2
fi

# The value of a key of the file that `rollcall run` reads too.
of_file() { sed -n "s/^[[:space:]]*$2[[:space:]]*=[[:space:]]*[\"']\\([^\"']*\\)[\"'].*/\\1/p" "$1" 2>/dev/null | head -n 1; }
url=${ROLLCALL_URL-} key=${ROLLCALL_KEY-}
for file in "${HOME:-/nonexistent}/.config/rollcall/client.toml" /etc/rollcall/client.toml; do
  [ -r "$file" ] || continue
  [ -n "$url" ] || url=$(of_file "$file" url)
  [ -n "$key" ] || key=$(of_file "$file" key)
  key_file=$(of_file "$file" key_file)
  if [ -z "$key" ] && [ -n "$key_file" ]; then key=$(head -n 1 "$key_file" 2>/dev/null); fi
  break
done
url=${url%/}/api/v1/ping

# One part of an address: every byte but letters, digits and a few signs as %XX.
encoded() (
  LC_ALL=C
  export LC_ALL
  rest=$1
  while [ -n "$rest" ]; do
    tail=${rest#?}
    letter=${rest%"$tail"}
    case $letter in
      [a-zA-Z0-9._~-]) printf %s "$letter" ;;
      *) printf '%%%02X' $(($(printf %d "'$letter") & 255)) ;;
    esac
    rest=$tail
  done
)

if [ -z "$timezone" ] && [ -n "$schedule" ]; then
  case ${TZ-} in [A-Za-z]*) timezone=$TZ ;; esac
  [ -n "$timezone" ] || timezone=$(readlink /etc/localtime 2>/dev/null | sed -n 's|.*/zoneinfo/||p')
  [ -n "$timezone" ] || timezone=$(cat /etc/timezone 2>/dev/null)
fi
run_id=$(date +%s)-$$
declared=run_id=$run_id
declare_as() { if [ -n "$2" ]; then declared="$declared&$1=$(encoded "$2")"; fi; }
declare_as schedule "$schedule"
declare_as every "$every"
declare_as timezone "$timezone"
declare_as gracePeriod "$grace"
declare_as maxRuntime "$max_runtime"
declare_as name "$name"

# Ends what it starts after so many seconds: a server that says nothing holds up no job.
within() {
  limit=$1
  shift
  "$@" &
  limited=$!
  (
    exec >/dev/null 2>&1
    sleep "$limit" &
    slept=$!
    trap 'kill $slept; exit' TERM
    wait $slept
    kill -KILL $limited
  ) &
  watcher=$!
  wait $limited
  ended=$?
  kill $watcher 2>/dev/null
  return $ended
}

# The key goes through a pipe, so that no list of processes shows it; the wget of busybox takes it in no other way.
by_curl() {
  exec curl -sS -m 2 --retry "$3" --retry-connrefused --retry-delay 1 --retry-max-time 2 -X POST -w '\n%{http_code}' \
    -H "Idempotency-Key: $run_id-$operation" -H 'Content-Type: text/plain; charset=utf-8' --data-binary "@$2" -K - 2>&1 <<END
url = "$url/$1"
user = "$key:"
END
}
by_wget() {
  address=$url/${1%%/*}/$key/${1#*/}
  set -- -q -O - --post-file="$2" --header="Idempotency-Key: $run_id-$operation" \
    --header='Content-Type: text/plain; charset=utf-8'
  if wget --version 2>/dev/null | grep -q GNU; then
    exec wget "$@" -T 2 -t 1 --content-on-error -i - 2>&1 <<END
$address
END
  fi
  exec wget "$@" "$address" 2>&1
}

# report OPERATION PARAMETERS FILE RETRIES SECONDS: the file is sent along.
report() {
  operation=$1
  if command -v curl >/dev/null 2>&1; then
    answer=$(within "$5" by_curl "$(encoded "$monitor")/$1?$2" "$3" "$4")
    case $answer in *'
200') return ;; esac
  elif command -v wget >/dev/null 2>&1; then
    answer=$(within "$5" by_wget "$(encoded "$monitor")/$1?$2" "$3") && return
  else
    answer='there is neither curl nor wget here'
  fi
  say "the $1 of $monitor was not reported: $(printf %s "${answer:-the server did not answer in time}" | tr '\r\n' '  ')"
}

telling=1
if [ "$url" = /api/v1/ping ] || [ -z "$key" ]; then
  telling=''
  say "nothing is reported: ROLLCALL_URL and ROLLCALL_KEY say where to, or url and key in /etc/rollcall/client.toml"
fi

# The job reads what we were given, or nothing where that was closed.
(: <&0) 2>/dev/null || exec </dev/null
exec 3<&0
if [ -n "$telling" ]; then
  report start "$declared" /dev/null 0 2 3<&- </dev/null >/dev/null &
  starting=$!
fi

# What the job writes on stderr passes through a pipe, and its end is kept.
kept=''
if [ -n "$output" ] && [ -n "$telling" ]; then
  folder=$(umask 077 && mktemp -d 2>/dev/null) && mkfifo "$folder/written" "$folder/copied" 2>/dev/null && kept=$folder/last
fi
if [ -n "$kept" ]; then
  tail -c 10000 <"$folder/copied" >"$kept" 2>/dev/null 3<&- &
  keeping=$!
  tee "$folder/copied" <"$folder/written" >&2 3<&- &
  "$@" <&3 3<&- 2>"$folder/written" &
else
  "$@" <&3 3<&- &
fi
job=$!
# A shell lets a job in the background ignore Ctrl-C; SIGTERM ends it.
trap 'kill -TERM $job 2>/dev/null' INT TERM QUIT
trap 'kill -HUP $job 2>/dev/null' HUP

if [ -n "$kill_after" ]; then
  (
    exec </dev/null >/dev/null 2>&1 3<&-
    trap 'kill $slept; exit' TERM
    sleep "$max_runtime" &
    slept=$!
    wait $slept
    kill -TERM $job
    sleep "$kill_after" &
    slept=$!
    wait $slept
    kill -KILL $job
  ) &
  killer=$!
fi

wait $job
status=$?
# A signal that is passed on ends the wait, and not the job.
while kill -0 $job 2>/dev/null; do
  wait $job
  status=$?
done
# The report of the end is not broken off; what sends it would inherit that a signal is ignored, so it is caught.
trap : INT TERM QUIT HUP
if [ -n "$kill_after" ]; then kill "$killer" 2>/dev/null; fi

if [ -n "$telling" ]; then
  file=/dev/null
  if [ -n "$kept" ]; then
    # What the job has left running may hold its stderr; then nothing is sent of it.
    looks=10
    while kill -0 "$keeping" 2>/dev/null && [ $looks -gt 0 ]; do
      sleep 0.1 2>/dev/null || { sleep 1 && looks=1; }
      looks=$((looks - 1))
    done
    kill -0 "$keeping" 2>/dev/null || file=$kept
  fi
  wait "$starting"
  case ",0,$success_codes," in
    *",$status,"*) report complete "$declared" /dev/null 1 3 ;;
    *)
      message="exit status $status"
      if [ $status -gt 128 ]; then message="ended by signal $((status - 128))"; fi
      report fail "$declared&message=$(encoded "$message")" "$file" 1 3
      ;;
  esac
fi
if [ -n "$kept" ]; then rm -rf "$folder"; fi
exit $status
