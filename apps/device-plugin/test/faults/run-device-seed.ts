import { deviceFaults } from './device-faults.ts'
import { createVirtualNode } from './virtual-node.ts'

const FAULTS_PER_SEED = 4
/** Time for the pods of the end to be admitted. */
const SETTLE_MS = 5_000

/**
 * Runs a node through a few faults of F11 to F15, chosen by the seed, in virtual time.
 *
 * @param counts - Number of runs of each class of faults, updated in place.
 * @returns What went wrong; empty if nothing did.
 */
export async function runDeviceSeed(seed: number, counts: Map<string, number>): Promise<readonly string[]> {
  const node = createVirtualNode(seed)
  await node.untilRight('start', SETTLE_MS)
  for (let i = 0; i < FAULTS_PER_SEED; i++) {
    const fault = deviceFaults[Math.floor(node.random() * deviceFaults.length)]
    if (fault === undefined) continue
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1)
    await node.run(node.random() * 2_000)
    await fault.run(node)
  }
  // No device is lost: with enough pods, each one is held.
  node.endsPods = false
  await node.run(SETTLE_MS)
  const held = new Set(node.kubelet.pods().flatMap(({ ids }) => ids)).size
  if (held < node.ids.length) node.problems.push(`only ${held} of ${node.ids.length} devices can be held`)
  await node.end()
  return node.problems
}
