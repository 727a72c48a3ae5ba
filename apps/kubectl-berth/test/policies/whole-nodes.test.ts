import { expect, test } from 'vitest'
import { hosts, startPolicyCluster } from './policy-cluster.ts'

const DONGLE = 'example.com/dongle'
const nodes = { small: { units: { [DONGLE]: '4' } }, large: { units: { [DONGLE]: '8' } } }
const policy = { name: 'whole-nodes', args: { resources: [DONGLE] } }

test.for(hosts)('whole-nodes in the %s breaks up a second node only when it must', async (host) => {
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  const place = (name: string, units: string) => cluster.place(name, { requests: { [DONGLE]: units } })
  // The default scores alone would prefer the node with more free units.
  for (const name of ['web-0', 'web-1', 'web-2']) expect(await place(name, '1')).toEqual({ node: 'small' })
  expect(await place('whole', '8')).toEqual({ node: 'large' })
  await cluster.deletePod('whole')
  expect(await place('last', '1')).toEqual({ node: 'small' })
  expect(await cluster.untilPlaced(await cluster.createPod('needed', { requests: { [DONGLE]: '1' } }))).toBe('large')
})
