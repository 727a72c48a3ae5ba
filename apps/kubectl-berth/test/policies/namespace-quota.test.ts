import { expect, test } from 'vitest'
import { hosts, startPolicyCluster } from './policy-cluster.ts'

const DONGLE = 'example.com/dongle'
const LABEL = 'example.com/dongle-quota'
const nodes = { 'node-a': { units: { [DONGLE]: '10' } }, 'node-b': { units: { [DONGLE]: '10' } } }
const policy = { name: 'namespace-quota', args: { resources: [{ name: DONGLE, label: LABEL }] } }
const red = { namespace: 'red', requests: { [DONGLE]: '1' } }

test.for(hosts)('namespace-quota in the %s never exceeds the quota with many pods in flight', async (host) => {
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  await cluster.createNamespace('red', { [LABEL]: '4' })
  const names = Array.from({ length: 12 }, (_, i) => `web-${i}`)
  const pods = await Promise.all(names.map((name) => cluster.createPod(name, red)))
  const placements = await cluster.placeTogether(pods)
  const reasons = placements.flatMap((placement) => ('reason' in placement ? placement.reason : []))
  expect(reasons).toHaveLength(8)
  for (const reason of reasons) {
    expect(reason).toContain(`namespace red may hold 4 ${DONGLE}: it holds 4, and the pod requests 1`)
  }
  // Another namespace has room on the same nodes.
  expect(await cluster.place('web', { requests: { [DONGLE]: '4' } })).toHaveProperty('node')
})

test.for(hosts)('namespace-quota in the %s lets a pod go when the quota rises or a pod ends', async (host) => {
  await using cluster = await startPolicyCluster(host, [policy], nodes)
  await cluster.createNamespace('red', { [LABEL]: '1' })
  expect(await cluster.place('first', red)).toHaveProperty('node')
  expect(await cluster.place('second', red)).toHaveProperty('reason')
  await cluster.label('red', { [LABEL]: '2' })
  expect(await cluster.untilPlaced(await cluster.pod('second', 'red'))).toMatch(/^node-/)
  expect(await cluster.place('third', red)).toHaveProperty('reason')
  await cluster.deletePod('first', 'red')
  expect(await cluster.untilPlaced(await cluster.pod('third', 'red'))).toMatch(/^node-/)
})

test.for(hosts)(
  'namespace-quota in the %s reads quotas from a ConfigMap, and names what is wrong with it',
  async (host) => {
    const configMap = { namespace: 'policies', name: 'dongles' }
    const args = { resources: [{ name: DONGLE, configMap: 'policies/dongles' }] }
    await using cluster = await startPolicyCluster(host, [{ name: 'namespace-quota', args }], nodes)
    await cluster.createNamespace('policies', {})
    await cluster.createNamespace('red', {})
    expect(await cluster.place('first', red)).toEqual({
      reason: expect.stringContaining(`ConfigMap policies/dongles with the quotas of ${DONGLE} does not exist`),
    })
    // From here on, only the ConfigMap changes: its changes place the waiting pods.
    await cluster.putConfigMap(configMap, { red: '1' })
    expect(await cluster.untilPlaced(await cluster.pod('first', 'red'))).toMatch(/^node-/)
    expect(await cluster.place('second', red)).toEqual({
      reason: expect.stringContaining(`namespace red may hold 1 ${DONGLE}: it holds 1, and the pod requests 1`),
    })
    await cluster.putConfigMap(configMap, { red: '2' })
    expect(await cluster.untilPlaced(await cluster.pod('second', 'red'))).toMatch(/^node-/)
    await cluster.putConfigMap(configMap, { red: 'plenty' })
    expect(await cluster.place('third', red)).toEqual({
      reason: expect.stringContaining(`key red of ConfigMap policies/dongles is "plenty", not a number of ${DONGLE}`),
    })
    await cluster.putConfigMap(configMap, { blue: '0' })
    expect(await cluster.untilPlaced(await cluster.pod('third', 'red'))).toMatch(/^node-/)
  },
)
