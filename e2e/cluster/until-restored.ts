import { setTimeout as pause } from 'node:timers/promises'
import type { ApiClient } from '@berth/k8s-client'
import { readClusterState } from './cluster-state.ts'
import { diffStates, type ClusterState, type StateDiff } from './diff-states.ts'
import type { TestEnvironment } from './test-environment.ts'

/** Options of {@link untilRestored}. */
export interface RestoredOptions {
  readonly client: ApiClient
  readonly environment: TestEnvironment
  readonly before: ClusterState
  /** Resources that the device plugin served meanwhile. */
  readonly served: readonly string[]
}

const LIMIT_MS = 180_000
const INTERVAL_MS = 1_000

/**
 * Waits until the cluster is as it was before: garbage collection is asynchronous. Prints what differs in the end, and what is not
 * counted.
 *
 * @returns The last comparison, also when the cluster still differs after three minutes.
 */
export async function untilRestored({ client, environment, before, served }: RestoredOptions): Promise<StateDiff> {
  const compare = async (): Promise<StateDiff> =>
    diffStates(before, await readClusterState(client, environment), served)
  const deadlineMs = performance.now() + LIMIT_MS
  let diff = await compare()
  while (diff.differences.length > 0 && performance.now() < deadlineMs) {
    await pause(INTERVAL_MS)
    diff = await compare()
  }
  console.log(`differences after the uninstall: ${diff.differences.length === 0 ? 'none' : ''}`)
  for (const line of diff.differences) console.log(`  ${line}`)
  console.log('not counted: Events, Leases, certificate requests, resourceVersions, heartbeats, cached images, and')
  for (const line of diff.kept) console.log(`  ${line}`)
  return diff
}
