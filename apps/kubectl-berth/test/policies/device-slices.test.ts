import { expect, test } from 'vitest'
import { hosts, startPolicyCluster } from './policy-cluster.ts'

const SLICE = 'berth.dev/gpu-slice'
const DEVICE = `${SLICE}-device`
/** Two devices of ten slices. */
const nodes = { 'node-a': { units: { [SLICE]: '20' } } }
const policy = { name: 'device-slices', args: { resource: SLICE, slicesPerDevice: 10 } }
const slices = (count: number) => ({ requests: { [SLICE]: String(count) } })

test.for(hosts)('device-slices in the %s gives pods in flight different slices', async (host) => {
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  const names = ['web-0', 'web-1', 'web-2', 'web-3', 'web-4']
  const pods = await Promise.all(names.map((name) => cluster.createPod(name, slices(4))))
  // Each device has room for two pods of four slices.
  const placements = await cluster.placeTogether(pods)
  expect(placements.filter((placement) => 'node' in placement)).toHaveLength(4)
  const bound = await Promise.all(names.map((name) => cluster.pod(name)))
  const devices = bound.flatMap(({ metadata }) => metadata.annotations?.[DEVICE] ?? [])
  expect(devices.toSorted()).toEqual(['0', '0', '1', '1'])
  const [reason] = placements.flatMap((placement) => ('reason' in placement ? placement.reason : []))
  expect(reason).toContain(`node(s) have enough free slices of ${SLICE}, but not on one device`)
})

test.for(hosts)('device-slices in the %s knows the devices after a restart', async (host) => {
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  const deviceOf = async (name: string) => (await cluster.pod(name)).metadata.annotations?.[DEVICE]
  expect(await cluster.place('first', slices(7))).toEqual({ node: 'node-a' })
  // The annotation that a user wrote is replaced.
  const forged = { ...slices(7), metadata: { annotations: { [DEVICE]: '0' } } }
  expect(await cluster.place('second', forged)).toEqual({ node: 'node-a' })
  expect([await deviceOf('first'), await deviceOf('second')]).toEqual(['0', '1'])
  await cluster.deletePod('first')
  await cluster.restart()
  expect(await cluster.untilPlaced(await cluster.createPod('third', slices(3)))).toBe('node-a')
  expect(await cluster.untilPlaced(await cluster.createPod('fourth', slices(10)))).toBe('node-a')
  // pack: the third pod fills the device of the second one, so that a whole device remains.
  expect([await deviceOf('third'), await deviceOf('fourth')]).toEqual(['1', '0'])
})
