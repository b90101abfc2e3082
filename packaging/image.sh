#!/bin/sh
# usage: image.sh
# Builds the image of dist/rollcall with buildah, podman or docker, whichever is there first, and tags it rollcall and rollcall:VERSION.
# BASE names another image to build on, BUILD_OPTIONS what else the builder shall be told.
set -eu
cd "$(dirname "$0")/.."
version=$(packaging/version.sh | tr '~+' '--')
for builder in buildah podman docker; do
  command -v $builder >/dev/null || continue
  # The health check is no part of the OCI format, but of Docker's, which all can run.
  [ $builder = docker ] && format="" || format="--format docker"
  # shellcheck disable=SC2086 # several options each
  exec $builder build $format ${BASE:+--build-arg "BASE=$BASE"} ${BUILD_OPTIONS:-} \
    --file packaging/Dockerfile --tag rollcall --tag "rollcall:$version" .
done
echo "Neither buildah nor podman nor docker is on the PATH." >&2
exit 1
