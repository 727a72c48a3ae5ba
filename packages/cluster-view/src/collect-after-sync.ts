import type { ClusterView } from './cluster-view.ts'

/**
 * Collects garbage as soon as the cluster has been read for the first time. What reading it left behind would stay for long, because
 * little of what is allocated later lives until a full collection.
 *
 * @param collectGarbage - Undefined without `--expose-gc`, which the chart sets.
 * @param signal - Ends the wait at shutdown.
 */
export async function collectAfterSync(
  view: Pick<ClusterView, 'waitForSync'>,
  collectGarbage: (() => void) | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (collectGarbage === undefined) return
  try {
    await view.waitForSync(signal)
  } catch {
    return
  }
  collectGarbage()
}

/** Returns the garbage collector of V8; undefined without `--expose-gc`. Only its most thorough flavor returns pages to the system at once. */
export function garbageCollector(): (() => void) | undefined {
  const { gc } = globalThis
  return gc && (() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
}
