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

# This is a subshell: when nobody reads our stderr, SIGPIPE ends only the subshell, and the job still runs.
say() (printf 'rollcall-run: %s\n' "$1" >&2)
misused() {
  say "$1; rollcall-run --help says how it is called"
  exit 2
}

# Prints the seconds of a duration such as 90s, 15m, 25h or 2d. It is a subshell, because its variable may be the job's.
seconds() (
  number=${1%[smhd]}
  case $number in '' | *[!0-9]* | ????????*) misused "$2 takes a duration such as 90s, 15m, 25h or 2d, not \"$1\"" ;; esac
  # With a leading zero the shell would read an octal number.
  number=${number#"${number%%[!0]*}"}
  case $1 in
    *m) echo $((${number:-0} * 60)) ;;
    *h) echo $((${number:-0} * 3600)) ;;
    *d) echo $((${number:-0} * 86400)) ;;
    *s) echo "${number:-0}" ;;
    *) misused "$2 takes a duration such as 90s, 15m, 25h or 2d, not \"$1\"" ;;
  esac
)

# Variables that are set before the job runs begin with _. To set one that is in the environment, such as name, would
# change it for the job.
_schedule=${ROLLCALL_SCHEDULE-} _every=${ROLLCALL_EVERY-} _timezone=${ROLLCALL_TIMEZONE-} _grace=${ROLLCALL_GRACE-}
_name=${ROLLCALL_NAME-} _max_runtime=${ROLLCALL_MAX_RUNTIME-} _kill_after=${ROLLCALL_KILL_AFTER-}
_success_codes='' _output='' _monitor=''
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
    --output-from-stderr) _output=1 ;;
    --*=*)
      _option=${1%%=*} _value=${1#*=}
      shift
      set -- "$_option" "$_value" "$@"
      continue
      ;;
    --schedule | --every | --timezone | --grace | --name | --max-runtime | --kill-after | --success-codes)
      [ $# -gt 1 ] || misused "$1 needs a value"
      case $1 in
        --schedule) _schedule=$2 ;;
        --every) _every=$2 ;;
        --timezone) _timezone=$2 ;;
        --grace) _grace=$2 ;;
        --name) _name=$2 ;;
        --max-runtime) _max_runtime=$2 ;;
        --kill-after) _kill_after=$2 ;;
        --success-codes) _success_codes=$2 ;;
      esac
      shift
      ;;
    -*) misused "there is no option $1" ;;
    *)
      [ -z "$_monitor" ] || misused "\"$1\" stands before --, and one monitor was named already"
      _monitor=$1
      ;;
  esac
  shift
done
[ -n "$_monitor" ] || misused "no monitor is named"
[ $# -gt 0 ] || misused "there is no command behind --"
case $_success_codes in *[!0-9,]*) misused "--success-codes takes numbers such as 24,100, not \"$_success_codes\"" ;; esac
if [ -n "$_every" ]; then seconds "$_every" --every >/dev/null || exit 2; fi
if [ -n "$_grace" ]; then _grace=$(seconds "$_grace" --grace) || exit 2; fi
if [ -n "$_max_runtime" ]; then _max_runtime=$(seconds "$_max_runtime" --max-runtime) || exit 2; fi
if [ -n "$_kill_after" ]; then
  [ -n "$_max_runtime" ] || misused "--kill-after needs --max-runtime"
  _kill_after=$(seconds "$_kill_after" --kill-after) || exit 2
fi

# Prints the value of a key in the settings file, which `rollcall run` reads too.
of_file() { sed -n "s/^[[:space:]]*$2[[:space:]]*=[[:space:]]*[\"']\\([^\"']*\\)[\"'].*/\\1/p" "$1" 2>/dev/null | head -n 1; }
_url=${ROLLCALL_URL-} _key=${ROLLCALL_KEY-}
for _file in "${XDG_CONFIG_HOME:-${HOME:-/nonexistent}/.config}/rollcall/client.toml" /etc/rollcall/client.toml; do
  [ -r "$_file" ] || continue
  [ -n "$_url" ] || _url=$(of_file "$_file" url)
  [ -n "$_key" ] || _key=$(of_file "$_file" key)
  _key_file=$(of_file "$_file" key_file)
  if [ -z "$_key" ] && [ -n "$_key_file" ]; then _key=$(head -n 1 "$_key_file" 2>/dev/null | tr -d '[:space:]'); fi
  break
done
_url=${_url%/}/api/v1/ping

# Encodes one part of an address: letters, digits and a few signs stay, every other byte becomes %XX.
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

if [ -z "$_timezone" ] && [ -n "$_schedule" ]; then
  # A rule such as CET-1CEST,M3.5.0 names no zone, and the server would refuse the report. So it is passed over.
  zone_in() { case $1 in /* | *,*) ;; */* | UTC | GMT) _timezone=${1#:} ;; esac; }
  zone_in "${CRON_TZ-}"
  [ -n "$_timezone" ] || _timezone=$(readlink /etc/localtime 2>/dev/null | sed -n 's|.*/zoneinfo/||p')
  [ -n "$_timezone" ] || _timezone=$(cat /etc/timezone 2>/dev/null)
  # TZ comes last: in a crontab it is for the commands alone, and cron reads schedules in the zone of the machine.
  [ -n "$_timezone" ] || zone_in "${TZ-}"
fi
# The number of the process is not enough for an id, because in containers it is often the same.
_run_id=$(date +%s)-$$-$(encoded "$(uname -n 2>/dev/null)")
_declared=run_id=$_run_id
declare_as() { if [ -n "$2" ]; then _declared="$_declared&$1=$(encoded "$2")"; fi; }
declare_as schedule "$_schedule"
declare_as every "$_every"
declare_as timezone "$_timezone"
declare_as gracePeriod "$_grace"
declare_as maxRuntime "$_max_runtime"
declare_as name "$_name"

# within SECONDS COMMAND: runs the command and kills it after so many seconds, because a server that says nothing must
# not hold up the job.
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
  wait $limited 2>/dev/null
  ended=$?
  kill $watcher 2>/dev/null
  return $ended
}

# The key goes through a pipe, so that no list of processes shows it. Only the wget of busybox must get it as an
# argument.
by_curl() {
  exec curl -sS -m 2 --retry "$3" --retry-connrefused --retry-delay 1 --retry-max-time 2 -X POST -w '\n%{http_code}' \
    -H "Idempotency-Key: $_run_id-$operation" -H 'Content-Type: text/plain; charset=utf-8' --data-binary "@$2" -K - 2>&1 <<END
url = "$_url/$1"
user = "$_key:"
END
}
by_wget() {
  address=$_url/${1%%/*}/$_key/${1#*/}
  set -- -q -O - --post-file="$2" --header="Idempotency-Key: $_run_id-$operation" \
    --header='Content-Type: text/plain; charset=utf-8'
  if wget --version 2>/dev/null | grep -q GNU; then
    exec wget "$@" -T 2 -t 1 --content-on-error -i - 2>&1 <<END
$address
END
  fi
  exec wget "$@" "$address" 2>&1
}

# report OPERATION PARAMETERS FILE RETRIES SECONDS: sends a report, with the file as its body. Only an answer that names
# the monitor is rollcall's: login pages and other servers answer 200, too.
report() {
  operation=$1
  if command -v curl >/dev/null 2>&1; then
    answer=$(within "$5" by_curl "$(encoded "$_monitor")/$1?$2" "$3" "$4")
  elif command -v wget >/dev/null 2>&1; then
    # wget ends with an error for any other status. The status is put behind the answer, where curl has it.
    answer=$(within "$5" by_wget "$(encoded "$_monitor")/$1?$2" "$3") && answer="$answer
200"
  else
    answer='there is neither curl nor wget here'
  fi
  case $answer in
    *'"monitor":'*'
200') return ;;
    *'
200') answer='something else answers there' ;;
  esac
  say "the $1 of $_monitor was not reported: $(printf %s "${answer:-no answer came}" | tr '\r\n' '  ')"
}

_telling=1
if [ "$_url" = /api/v1/ping ] || [ -z "$_key" ]; then
  _telling=''
  say "nothing is reported: ROLLCALL_URL and ROLLCALL_KEY say where to, or url and key in /etc/rollcall/client.toml"
fi

# The job reads our standard input, or nothing when that was closed.
(: <&0) 2>/dev/null || exec </dev/null
exec 7<&0
if [ -n "$_telling" ]; then
  report start "$_declared" /dev/null 0 2 7<&- </dev/null >/dev/null &
  _starting=$!
fi

# A job in the background ignores Ctrl-C, because the shell starts it so. SIGTERM ends it instead. Signals are caught
# before the job starts, so that none ends the script alone. One that comes before the job's number is known waits.
_job='' _early=''
pass_on() {
  if [ -z "$_job" ]; then _early=$1; else passed=1 && kill "-$1" $_job 2>/dev/null; fi
}
trap 'pass_on TERM' INT TERM QUIT
trap 'pass_on HUP' HUP

# With exec the command can only be a program, and no function of this script or word of the shell. What the job writes
# on stderr passes through a pipe, so that its end can be kept.
_kept='' _folder=''
if [ -n "$_output" ] && [ -n "$_telling" ]; then
  _folder=$(umask 077 && mktemp -d 2>/dev/null) && mkfifo "$_folder/written" "$_folder/copied" 2>/dev/null && _kept=$_folder/last
fi
if [ -n "$_kept" ]; then
  # These two programs ignore signals, so that they pass on all that the job writes.
  (trap '' INT TERM QUIT HUP && exec tail -c 10000 <"$_folder/copied" >"$_kept" 2>/dev/null 7<&-) &
  _keeping=$!
  (trap '' INT TERM QUIT HUP && exec tee "$_folder/copied" <"$_folder/written" >&2 7<&-) &
  exec "$@" <&7 7<&- 2>"$_folder/written" &
else
  exec "$@" <&7 7<&- &
fi
_job=$!
passed='' status=''
if [ -n "$_early" ]; then kill "-$_early" $_job 2>/dev/null; fi
# When nobody reads what this script writes, the write may fail, but SIGPIPE must not end the script.
trap '' PIPE

if [ -n "$_kill_after" ]; then
  (
    exec </dev/null >/dev/null 2>&1 7<&-
    trap 'kill $slept; exit' TERM
    sleep "$_max_runtime" &
    slept=$!
    wait $slept
    kill -TERM $_job
    sleep "$_kill_after" &
    slept=$!
    wait $slept
    kill -KILL $_job
  ) &
  killer=$!
fi

while :; do
  wait $_job
  ended=$?
  # wait gives 127 when the shell has forgotten the job, because a signal came just after the wait before. Then the
  # status of the wait before counts.
  if [ $ended -ne 127 ] || [ -z "$status" ]; then status=$ended; fi
  # A signal that was passed on to the job has ended only the wait, so the job is waited for again.
  if [ -z "$passed" ]; then break; fi
  passed=''
done
# From here on signals do not end the script, so that the end is reported. They are caught and not ignored, because the
# programs that send the report would inherit that they are ignored.
trap : INT TERM QUIT HUP
if [ -n "$_kill_after" ]; then kill "$killer" 2>/dev/null; fi

if [ -n "$_telling" ]; then
  _file=/dev/null
  if [ -n "$_kept" ]; then
    # A process that the job left running may keep the job's stderr open. Then none of it is sent.
    looks=10
    while kill -0 "$_keeping" 2>/dev/null && [ $looks -gt 0 ]; do
      sleep 0.1 2>/dev/null || { sleep 1 && looks=1; }
      looks=$((looks - 1))
    done
    kill -0 "$_keeping" 2>/dev/null || _file=$_kept
  fi
  wait "$_starting"
  case ",0,$_success_codes," in
    *",$status,"*) report complete "$_declared" /dev/null 1 3 ;;
    *)
      # Above 128 it may stand for a signal. A shell cannot tell: git, for one, ends with 129 by itself.
      declare_as message "exit status $status"
      declare_as host "$(uname -n 2>/dev/null)"
      declare_as user "$(id -un 2>/dev/null)"
      report fail "$_declared" "$_file" 1 3
      ;;
  esac
fi
if [ -n "$_folder" ]; then rm -rf "$_folder"; fi
exit $status
