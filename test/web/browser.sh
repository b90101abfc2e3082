#!/bin/sh
# Runs the browser $CHROMIUM, and removes its profile when it ends. The process of the tests cannot: it is gone by then.

profile=
for option; do
  case $option in --user-data-dir=*) profile=${option#*=} ;; esac
done
"$CHROMIUM" "$@"
status=$?
# Its last processes may still write.
rm -rf "${profile:?}" || { sleep 1 && rm -rf "$profile"; }
exit $status
