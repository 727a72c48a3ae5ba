import { resourceRefs } from '@berth/k8s-client'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

/** Runs a command while virtual time passes. */
async function runInTime(cluster: TestCluster, ...argv: readonly string[]): Promise<string> {
  const state = { isSettled: false }
  const result = cluster.run(...argv).finally(() => (state.isSettled = true))
  result.catch(() => {})
  while (!state.isSettled) await cluster.terminal.clock.advance(500)
  return await result
}

describe('uninstall-check', () => {
  const check = (cluster: TestCluster) => cluster.run('uninstall-check', dongle, 'example.com/seat')

  test('succeeds silently when no pod uses the resources', async () => {
    expect(await check(testCluster())).toBe('')
  })

  test('names the running pods that use the resources, and no others', async () => {
    const cluster = testCluster()
    await cluster.addNode('node-1', { [dongle]: '4' })
    await cluster.addPod('holder', { [dongle]: '1' }, { nodeName: 'node-1' })
    await cluster.addPod('waiting', { [dongle]: '1' })
    await cluster.addPod('other', { 'vendor.io/fpga': '1' }, { nodeName: 'node-1' })
    await cluster.addPod('done', { [dongle]: '1' }, { nodeName: 'node-1' })
    await cluster.client.patch(
      resourceRefs.pods,
      { namespace: 'default', name: 'done' },
      { status: { phase: 'Succeeded' } },
      { type: 'merge', subresource: 'status' },
    )
    await expect(check(cluster)).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_IN_USE',
      message: `cannot uninstall: running pods still use ${dongle} (default/holder)`,
      hint: expect.stringContaining('set force to "true"'),
    })
  })

  test('names at most ten pods', async () => {
    const cluster = testCluster()
    await cluster.addNode('node-1', { [dongle]: '12' })
    for (let index = 0; index < 12; index++) {
      await cluster.addPod(`pod-${index}`, { [dongle]: '1' }, { nodeName: 'node-1' })
    }
    await expect(check(cluster)).rejects.toThrow(/default\/pod-7 and 2 more\)$/)
  })

  test('succeeds when the uninstall is forced', async () => {
    const cluster = testCluster({}, { BERTH_ADVERTISER_FORCE: 'true' })
    await cluster.addNode('node-1', { [dongle]: '4' })
    await cluster.addPod('holder', { [dongle]: '1' }, { nodeName: 'node-1' })
    expect(await check(cluster)).toBe('')
  })

  test('refuses to run without a resource', async () => {
    await expect(testCluster().run('uninstall-check')).rejects.toMatchObject({ code: 'BERTH_KUBECTL_USAGE' })
  })
})

describe('uninstall-wait', () => {
  const name = 'berth-uninstall-sockets'
  const labels = { app: 'sockets' }
  const ready = (status: 'True' | 'Unknown') => ({ status: { conditions: [{ type: 'Ready', status }] } })
  const wait = (cluster: TestCluster, timeoutSeconds: number) =>
    runInTime(cluster, 'uninstall-wait', 'default', name, '--timeout', String(timeoutSeconds))

  async function clusterWithDaemonSet(): Promise<TestCluster> {
    const cluster = testCluster()
    await cluster.create(resourceRefs.daemonSets, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace: 'default' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'done', image: 'pause' }] } },
      },
    } as never)
    return cluster
  }

  async function setReady(cluster: TestCluster, numberReady: number): Promise<void> {
    const counts = { desiredNumberScheduled: 2, currentNumberScheduled: 2, numberMisscheduled: 0 }
    await cluster.client.patch(
      resourceRefs.daemonSets,
      { namespace: 'default', name },
      { status: { observedGeneration: 1, ...counts, numberReady } },
      { type: 'merge', subresource: 'status' },
    )
  }

  test('gives up on a DaemonSet that does not exist, with the reason', async () => {
    await expect(wait(testCluster(), 1)).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_WAIT',
      message: expect.stringMatching(/^DaemonSet default\/\S+ is not ready after 1 s: .*not found/),
    })
  })

  test('gives up with the last progress, and ends when every pod is ready', async () => {
    const cluster = await clusterWithDaemonSet()
    await setReady(cluster, 1)
    await expect(wait(cluster, 1)).rejects.toThrow(
      `DaemonSet default/${name} is not ready after 1 s: 1 of 2 pods ready`,
    )
    await setReady(cluster, 2)
    expect(await wait(cluster, 5)).toBe('2 of 2 pods ready\n')
  })

  test('names the node where a container failed, and does not wait for a node that does not respond', async () => {
    const cluster = await clusterWithDaemonSet()
    await setReady(cluster, 1)
    for (const node of ['dark-1', 'dark-2']) {
      await cluster.addNode(node)
      await cluster.client.patchNodeStatus(node, ready('True'), { fieldManager: 'test' })
      await cluster.addPod(`on-${node}`, {}, { nodeName: node, metadata: { labels } })
    }
    const patchPod = (pod: string, patch: object) =>
      cluster.client.patch(resourceRefs.pods, { namespace: 'default', name: pod }, patch, {
        type: 'merge',
        subresource: 'status',
      })
    await patchPod('on-dark-1', ready('True'))
    await expect(wait(cluster, 2)).rejects.toThrow('1 of 2 pods ready')

    const message = '/sockets/berth-1.sock still accepts connections\n'
    const failing = { name: 'clear-socket-directory', image: 'a', imageID: 'a', ready: false, restartCount: 1 }
    const lastState = { terminated: { exitCode: 1, message } }
    await patchPod('on-dark-2', {
      status: { initContainerStatuses: [{ ...failing, state: { waiting: {} }, lastState }] },
    })
    await expect(wait(cluster, 2)).rejects.toThrow(`1 of 2 pods ready; on node dark-2: ${message.trim()}`)

    await cluster.client.patchNodeStatus('dark-2', ready('Unknown'), { fieldManager: 'test' })
    expect(await wait(cluster, 10)).toBe(
      '1 of 2 pods ready; these nodes do not respond and keep the socket directory: dark-2\n',
    )
  })

  test.for([
    { it: 'without a DaemonSet', argv: ['default'] },
    { it: 'with a timeout that is not a number', argv: ['default', name, '--timeout', 'soon'] },
  ])('refuses to run $it', async ({ argv }) => {
    await expect(testCluster().run('uninstall-wait', ...argv)).rejects.toMatchObject({ code: 'BERTH_KUBECTL_USAGE' })
  })
})

describe('uninstall-announce', () => {
  const labels = { 'app.kubernetes.io/component': 'device-plugin' }
  const announce = (cluster: TestCluster) =>
    runInTime(cluster, 'uninstall-announce', 'default', 'app.kubernetes.io/component=device-plugin', dongle)

  async function clusterWithPlugin(): Promise<TestCluster> {
    const cluster = testCluster()
    for (const node of ['node-1', 'node-2']) {
      await cluster.addNode(node, { [dongle]: '4' })
      await cluster.addPod(`plugin-on-${node}`, {}, { nodeName: node, metadata: { labels } })
      await cluster.client.patch(
        resourceRefs.pods,
        { namespace: 'default', name: `plugin-on-${node}` },
        { status: { phase: 'Running' } },
        { type: 'merge', subresource: 'status' },
      )
    }
    await cluster.addPod('other', {}, { nodeName: 'node-1' })
    return cluster
  }
  const setCapacity = (cluster: TestCluster, node: string, units: string | null) =>
    cluster.client.patchNodeStatus(node, { status: { capacity: { [dongle]: units } } }, { fieldManager: 'kubelet' })

  test('annotates the pods of the device plugin, and ends when their nodes show no units', async () => {
    const cluster = await clusterWithPlugin()
    await setCapacity(cluster, 'node-1', null)
    await setCapacity(cluster, 'node-2', '0')
    expect(await announce(cluster)).toBe('2 of 2 nodes withdrew their devices\n')
    const { items } = await cluster.client.list(resourceRefs.pods)
    const until = items.map(({ metadata }) => [metadata?.name, metadata?.annotations?.['berth.dev/uninstall-until']])
    expect(Object.fromEntries(until)).toEqual({
      'plugin-on-node-1': expect.stringMatching(/^\d{4}-.*Z$/),
      'plugin-on-node-2': expect.stringMatching(/^\d{4}-.*Z$/),
      other: undefined,
    })
  })

  test('names a node that still offers the resource, and succeeds', async () => {
    const cluster = await clusterWithPlugin()
    await setCapacity(cluster, 'node-1', '0')
    expect(await announce(cluster)).toBe('1 of 2 nodes withdrew their devices; still offered on node-2\n')
  })

  test('does not stop an uninstall when it may not list pods', async () => {
    const cluster = await clusterWithPlugin()
    cluster.forbid('pods')
    expect(await announce(cluster)).toMatch(/^could not announce the uninstall: .*pods/)
  })
})
