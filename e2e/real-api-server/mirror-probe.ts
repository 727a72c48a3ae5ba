/**
 * Mirrors all nodes and pods and prints the cost: the load on the event loop and the memory of this process, which does
 * nothing else.
 *
 * Usage: node --expose-gc mirror-probe.ts KUBECONFIG
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { resourceRefs } from '@berth/k8s-client'
import { connectWithKubeconfig } from '../cluster/connect-with-kubeconfig.ts'
import { processMemory } from './process-memory.ts'

/** The output of the probe, as one JSON line. */
export interface MirrorCost {
  readonly objects: number
  readonly turns: number
  /** Most processor time of this thread in one turn of the event loop. Does not include waiting. */
  readonly longestTurnMs: number
  readonly peakBytes: number
  /** Resident memory with all objects held, after garbage collection. */
  readonly steadyBytes: number
}

const cluster = connectWithKubeconfig(process.argv[2] ?? '')
// Connects and compiles code. This happens once in a process, not for each list, so it is not measured.
await cluster.serverVersion()
const mirrors = [resourceRefs.nodes, resourceRefs.pods].map((resource) => cluster.reflect(resource, { isLarge: true }))
let longestTurnMs = 0
let turns = 0
let before = process.threadCpuUsage()
while (!mirrors.every((mirror) => mirror.hasSynced())) {
  await nextTurn()
  const { user, system } = process.threadCpuUsage(before)
  before = process.threadCpuUsage()
  longestTurnMs = Math.max(longestTurnMs, (user + system) / 1_000)
  turns += 1
}
globalThis.gc?.()
await pause(1_000)
globalThis.gc?.()
const objects = mirrors.reduce((sum, { store }) => sum + store.size, 0)
const { rss: steadyBytes, peak: peakBytes } = processMemory('self')
const cost: MirrorCost = { objects, turns, longestTurnMs, peakBytes, steadyBytes }
console.log(JSON.stringify(cost))
process.exit(0)
