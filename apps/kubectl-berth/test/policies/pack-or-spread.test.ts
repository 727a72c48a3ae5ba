import { expect, test } from 'vitest'
import { hosts, startPolicyCluster } from './policy-cluster.ts'

const DONGLE = 'example.com/dongle'
const nodes = { 'node-a': { units: { [DONGLE]: '4' } }, 'node-b': { units: { [DONGLE]: '4' } } }
const one = { requests: { [DONGLE]: '1' } }

test.for(
  hosts.flatMap((host) => [
    { host, mode: 'pack', used: 1 },
    { host, mode: 'spread', used: 2 },
  ]),
)('pack-or-spread in the $host uses $used of two nodes for four pods with mode $mode', async ({ host, mode, used }) => {
  const policy = { name: 'pack-or-spread', args: { resources: [{ name: DONGLE, mode }] } }
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  const placements = new Map<string, number>()
  for (let i = 0; i < 4; i++) {
    const placement = await cluster.place(`web-${i}`, one)
    const node = 'node' in placement ? placement.node : placement.reason
    placements.set(node, (placements.get(node) ?? 0) + 1)
  }
  expect([...placements.values()]).toEqual(used === 1 ? [4] : [2, 2])
})
