import { expect, test } from 'vitest'
import { hosts, startPolicyCluster } from './policy-cluster.ts'

const DONGLE = 'example.com/dongle'
const nodes = { plain: { units: { cpu: '1' } }, dongles: { units: { [DONGLE]: '4' } } }
const cpu = { requests: { cpu: '1' } }

test.for(hosts)('reserved-nodes in the %s keeps other pods off the nodes with mode filter', async (host) => {
  const policy = { name: 'reserved-nodes', args: { resources: [DONGLE], mode: 'filter' } }
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  expect(await cluster.place('first', cpu)).toEqual({ node: 'plain' })
  const second = await cluster.place('second', cpu)
  expect('reason' in second && second.reason).toContain(`node(s) are reserved for pods that request ${DONGLE}`)
  expect(await cluster.place('user', { requests: { [DONGLE]: '1' } })).toEqual({ node: 'dongles' })
})

test.for(hosts)('reserved-nodes in the %s uses reserved nodes last with mode score', async (host) => {
  const policy = { name: 'reserved-nodes', args: { resources: [DONGLE] } }
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  expect(await cluster.place('first', cpu)).toEqual({ node: 'plain' })
  expect(await cluster.place('second', cpu)).toEqual({ node: 'dongles' })
})
