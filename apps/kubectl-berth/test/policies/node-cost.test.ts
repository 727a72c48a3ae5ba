import { expect, test } from 'vitest'
import { hosts, startPolicyCluster } from './policy-cluster.ts'

const LATENCY = 'example.com/latency-ms'
const MAXIMUM = 'example.com/max-latency-ms'
const nodes = {
  far: { labels: { [LATENCY]: '80' } },
  near: { labels: { [LATENCY]: '3.5' }, units: { cpu: '1' } },
  middle: { labels: { [LATENCY]: '20' }, units: { cpu: '1' } },
  unknown: {},
}
const policy = { name: 'node-cost', args: { label: LATENCY, podMaximumAnnotation: MAXIMUM, withoutCost: 'refuse' } }

test.for(hosts)('node-cost in the %s chooses the lowest latency, and keeps the maximum of a pod', async (host) => {
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  const cpu = { requests: { cpu: '1' } }
  const within = (ms: string) => ({ ...cpu, metadata: { annotations: { [MAXIMUM]: ms } } })
  expect(await cluster.place('first', within('50'))).toEqual({ node: 'near' })
  expect(await cluster.place('second', within('50'))).toEqual({ node: 'middle' })
  const third = await cluster.place('third', within('50'))
  expect('reason' in third && third.reason).toContain(`node(s) cost more than 50 by label ${LATENCY}`)
  expect(await cluster.place('fourth', cpu)).toEqual({ node: 'far' })
})
