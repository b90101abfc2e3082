// Tells when work has ended, for example so that a request that waits may take its place.

/**
 * Does the work and calls `end` once it has ended, also when it has failed. Returns a promise only when `work` does;
 * otherwise the result is there before anything else runs.
 */
export function withEnd<Result>(work: () => Result | Promise<Result>, end: () => void): Result | Promise<Result> {
  let result: Result | Promise<Result>;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end);
  end();
  return result;
}
