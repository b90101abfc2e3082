#!/usr/bin/env bash
# Sends one report to rollcall by curl; action.yml says what the variables mean. Whatever happens to the report, it ends with 0:
# a job of GitHub Actions must not fail because nobody could be told. It takes eleven seconds at most.
set -uo pipefail

one_line() { printf '%s' "$1" | tr '\r\n' '  '; }
# What stands in a warning must stay in its line, because a line may be a command to the runner.
warn() { printf '::warning title=rollcall::%s\n' "$(one_line "$1")"; }

message=$(one_line "$REPORT_MESSAGE")
case $REPORT_STATUS in
  start) operation=start ;;
  success | complete) operation=complete ;;
  failure | fail) operation=fail ;;
  cancelled) operation=fail message=${message:-cancelled} ;;
  *)
    warn "nothing was reported: status must be start, complete, fail or job.status, not \"$REPORT_STATUS\""
    exit 0
    ;;
esac
for needed in URL KEY MONITOR; do
  name=REPORT_$needed
  if [ -z "${!name}" ]; then
    warn "nothing was reported: $(tr '[:upper:]' '[:lower:]' <<<"$needed") is empty"
    exit 0
  fi
done

# One segment of a path, as an address takes it.
encoded() {
  local LC_ALL=C text=$1 place letter
  for ((place = 0; place < ${#text}; place++)); do
    letter=${text:place:1}
    case $letter in
      [a-zA-Z0-9._~-]) printf '%s' "$letter" ;;
      *) printf '%%%02X' $(($(printf '%d' "'$letter") & 255)) ;;
    esac
  done
}

# GitHub counts from 1, and a run that somebody starts again keeps its number.
attempt=$((${GITHUB_RUN_ATTEMPT:-1} - 1))
parameters=(--data-urlencode "run_id=$REPORT_RUN_ID" -d "attempt=$attempt")
add() { if [ -n "$2" ]; then parameters+=(--data-urlencode "$1=$2"); fi; }
if [ -n "$REPORT_SCHEDULE$REPORT_EVERY" ]; then
  add schedule "$REPORT_SCHEDULE"
  add every "$REPORT_EVERY"
  add timezone "$REPORT_TIMEZONE"
  add gracePeriod "$REPORT_GRACE_PERIOD"
fi
add maxRuntime "$REPORT_MAX_RUNTIME"
if [ "$operation" = fail ]; then add message "$message"; fi

# The key goes through a pipe, so that no list of processes shows it.
answer=$(printf 'user = "%s:"\n' "$REPORT_KEY" |
  curl -sS -m 5 --retry 1 --retry-connrefused --retry-max-time 6 -K - -X POST -G "${parameters[@]}" \
    -H "Idempotency-Key: $REPORT_RUN_ID-$attempt-$operation" -w '\n%{http_code}' \
    "${REPORT_URL%/}/api/v1/ping/$(encoded "$REPORT_MONITOR")/$operation" 2>&1)
status=$?
if [ $status -ne 0 ]; then
  warn "the $operation of $REPORT_MONITOR was not reported: $answer"
elif [ "${answer##*$'\n'}" != 200 ]; then
  warn "rollcall refused the $operation of $REPORT_MONITOR: $answer"
else
  echo "The $operation of $REPORT_MONITOR was reported."
fi
exit 0
