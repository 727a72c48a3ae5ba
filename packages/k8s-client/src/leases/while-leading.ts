import type { LeaderElection } from './leader-election.ts'

/**
 * Waits until this process leads, then runs `work` until it ends, `stop` aborts or the Lease is lost. Resolves when
 * `stop` aborts.
 *
 * @param options.work - Must end when its signal aborts.
 * @param options.lostError - Creates the error to throw when the Lease is lost. `work` has ended then.
 */
export async function whileLeading(
  election: LeaderElection,
  stop: AbortSignal,
  { work, lostError }: { readonly work: (signal: AbortSignal) => Promise<void>; readonly lostError: () => Error },
): Promise<void> {
  try {
    await election.whenLeading(stop)
  } catch (error) {
    if (stop.aborted) return
    throw error
  }
  const ended = AbortSignal.any([stop, election.lost])
  try {
    await work(ended)
  } catch (error) {
    if (!ended.aborted) throw error
  }
  if (stop.aborted) return
  throw lostError()
}
