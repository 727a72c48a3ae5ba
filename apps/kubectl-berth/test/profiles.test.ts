import { resourceRefs } from '@berth/k8s-client'
import { defineSchedulingPlugin, perNode, type SchedulingPlugin } from '@berth/plugin-api'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

/** Rejects each node for a reason of its own, except nodes whose name ends in `-a`. */
const picky: SchedulingPlugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'picky',
  description: 'Rejects nodes.',
  argsSchema: z.strictObject({ word: z.string().default('no') }),
  create: ({ word }) => ({
    ...perNode({ filter: (_pod, { name }) => (name.endsWith('-a') ? undefined : `${word} to ${name}`) }),
    permit: () => undefined,
  }),
})

/** Rejects every pod unless a key of a ConfigMap is "open". */
const gate: SchedulingPlugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'gate',
  description: 'Reads a ConfigMap.',
  argsSchema: z.strictObject({}),
  configMaps: () => ['ops/gate'],
  create: () => ({
    preFilter(_pod, _candidates, { cluster: { objects } }) {
      const state = objects.get('configMaps', 'ops/gate')?.data?.['state'] ?? 'missing'
      return state === 'open' ? undefined : { kind: 'reject', code: 2, reasons: [`the gate is ${state}`] }
    },
  }),
})

const files = {
  'gate.yaml': 'profiles: [{ plugins: { multiPoint: { enabled: [{ name: gate }] } } }]',
  'cluster.yaml': `{ items: [
    { apiVersion: v1, kind: Node, metadata: { name: a }, status: { allocatable: { pods: 9 } } },
    { apiVersion: v1, kind: Pod, metadata: { name: web, namespace: default }, spec: { containers: [] } },
    { apiVersion: v1, kind: ConfigMap, metadata: { name: gate, namespace: ops }, data: { state: shut } }] }`,
  'one.yaml': `profiles: [{ plugins: { multiPoint: { enabled: [{ name: picky }] } },
    pluginConfig: [{ name: picky, args: { word: never } }] }]`,
  'two.yaml': 'profiles: [{ schedulerName: a }, { schedulerName: b }]',
  'idle.yaml': 'profiles: [{}]',
  'wrong.yaml':
    'profiles: [{ plugins: { filter: { enabled: [{ name: picky }] } }, pluginConfig: [{ name: picky, args: { wrod: never } }] }]',
  'calls.yaml': 'extenders: [{ urlPrefix: "http://me:secret@127.0.0.1:1", filterVerb: filter }]',
}

async function fiveNodes(plugins: readonly SchedulingPlugin[] = [picky]): Promise<TestCluster> {
  const cluster = testCluster(files, {}, plugins)
  for (const letter of ['a', 'b', 'c', 'd', 'e']) {
    await cluster.addNode(`node-${letter}`, { [dongle]: letter === 'a' ? '1' : '4' })
  }
  await cluster.addPod('web', { [dongle]: '2' })
  return cluster
}

const explain = (cluster: TestCluster, ...argv: readonly string[]): Promise<string> =>
  cluster.run('explain', 'pod', 'web', ...argv)

describe('explain --scheduler-config --plugin-dir', () => {
  test('decides with the plugins and arguments of the profile, and gives the complete reason of each node', async () => {
    const cluster = await fiveNodes()
    const argv = ['--scheduler-config', 'one.yaml', '--plugin-dir', 'plugins', '-o', 'json']
    const answer = JSON.parse(await explain(cluster, ...argv))
    expect(answer.fits).toBe(false)
    // The message merges what the nodes below give one by one.
    expect(answer.message).toBe(
      '0/5 nodes are available: 1 Insufficient example.com/dongle, 4 rejected by plugin picky: never to node-b and 3 other reasons.',
    )
    expect(answer.nodes.map(({ node, reasons }: { node: string; reasons: unknown }) => [node, reasons])).toEqual([
      ['node-b', ['never to node-b']],
      ['node-c', ['never to node-c']],
      ['node-d', ['never to node-d']],
      ['node-e', ['never to node-e']],
      ['node-a', ['Insufficient example.com/dongle']],
    ])
    expect(answer.unsupported).toEqual(['permit of plugin picky, which the scheduler runs later'])
    expect(JSON.parse(await explain(cluster, '-o', 'json')).feasible).toHaveLength(4)
  })

  test('runs every plugin of the directory with the default profile, and says so', async () => {
    const cluster = await fiveNodes()
    const text = await explain(cluster, '--plugin-dir', 'plugins')
    expect(text).toContain('no to node-b')
    expect(cluster.terminal.notes()).toBe('Decided with the default profile and every plugin of plugins: picky.\n')
  })

  test('reads the ConfigMaps that plugins declare, and names them when it may not', async () => {
    const cluster = await fiveNodes([gate])
    const argv = ['--scheduler-config', 'gate.yaml', '--plugin-dir', 'plugins']
    expect(await explain(cluster, ...argv)).toContain('the gate is missing')
    await cluster.create(resourceRefs.namespaces, { metadata: { name: 'ops' } })
    const configMap = { metadata: { name: 'gate', namespace: 'ops' }, data: { state: 'open' } }
    await cluster.create(resourceRefs.configMaps, configMap)
    expect(await explain(cluster, ...argv)).toContain('fits on 4 of 5')
    expect(await cluster.run('whatif', '--snapshot', 'cluster.yaml', '--add-node', 'a=1', ...argv)).toContain(
      'the gate is shut',
    )
    cluster.forbid('configmaps')
    await explain(cluster, ...argv)
    expect(cluster.terminal.notes()).toContain('Evaluated without configmaps: this user may not list them.')
  })

  test('names plugins that no profile enables', async () => {
    const cluster = await fiveNodes()
    await explain(cluster, '--scheduler-config', 'idle.yaml', '--plugin-dir', 'plugins')
    expect(cluster.terminal.notes()).toBe('No profile enables picky, so these plugins do not run.\n')
  })

  test('names the extenders that it does not call, without the user and password of their URLs', async () => {
    const text = await explain(await fiveNodes(), '--scheduler-config', 'calls.yaml')
    expect(text).toContain('Not evaluated: extender http://…@127.0.0.1:1, which the scheduler also calls.')
    const json = await explain(await fiveNodes(), '--scheduler-config', 'calls.yaml', '-o', 'json')
    expect(json).toContain('@127.0.0.1:1, which the scheduler also calls')
    expect(json).not.toContain('secret')
  })

  test('uses the profile of the schedulerName of the pod', async () => {
    const cluster = await fiveNodes()
    await cluster.addPod('for-b', {}, { schedulerName: 'b' })
    expect(await cluster.run('explain', 'pod', 'for-b', '--scheduler-config', 'two.yaml')).toContain('fits on 5 of 5')
    await expect(explain(cluster, '--scheduler-config', 'two.yaml')).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_USAGE',
      message: 'choose the profile of pod web: two.yaml has none for its schedulerName "default-scheduler"',
      hint: 'It has profiles for a, b.',
    })
  })

  test.for([
    { argv: ['--scheduler-config', 'none.yaml'], says: 'read KubeSchedulerConfiguration none.yaml: no such file' },
    { argv: ['--scheduler-config', 'one.yaml'], says: 'plugin picky is neither built in nor in --plugin-dir' },
    {
      argv: ['--scheduler-config', 'wrong.yaml', '--plugin-dir', 'plugins'],
      says: 'args.wrod: no such key',
    },
  ])('refuses $argv as the scheduler does', async ({ argv, says }) => {
    await expect(explain(await fiveNodes(), ...argv)).rejects.toThrow(says)
  })

  test('refuses a directory without a scheduling plugin', async () => {
    const cluster = testCluster(files)
    await expect(explain(cluster, '--plugin-dir', 'empty')).rejects.toThrow(
      'load plugins from empty: it has no scheduling plugin',
    )
  })
})

describe('whatif --scheduler-config --plugin-dir', () => {
  const plugin = (hooks: object) =>
    defineSchedulingPlugin({
      apiVersion: 'berth.dev/v1',
      name: 'extra',
      description: 'D.',
      argsSchema: z.strictObject({}),
      create: () => hooks,
    })
  const clusterWith = async (hooks: object): Promise<TestCluster> => {
    const cluster = testCluster(files, {}, [plugin(hooks)])
    await cluster.addNode('node-a', { [dongle]: '4' })
    await cluster.addNode('node-b', { [dongle]: '4' })
    await cluster.addPod('web', { [dongle]: '2' })
    return cluster
  }

  test('places no pod that preEnqueue holds back, and explain names the plugin', async () => {
    const cluster = await clusterWith({ preEnqueue: () => ({ kind: 'reject', reasons: ['frozen'] }) })
    const text = await cluster.run('whatif', '--add-node', 'node-a', '--plugin-dir', 'plugins')
    expect(text).toMatch(/default\/web +Pending +none +held back by plugin extra: frozen\n/)
    expect(text).toContain('0 of 1 pods would have a node')
    expect(await explain(cluster, '--plugin-dir', 'plugins')).toContain('The pod is held back by plugin extra: frozen.')
    expect(JSON.parse(await explain(cluster, '--plugin-dir', 'plugins', '-o', 'json'))).toMatchObject({
      heldBack: 'held back by plugin extra: frozen',
    })
  })

  test('holds a pod back when preEnqueue fails', async () => {
    const cluster = await clusterWith({ preEnqueue: () => ({ kind: 'reject' }) })
    const text = await cluster.run('whatif', '--add-node', 'node-a', '--plugin-dir', 'plugins')
    expect(text).toContain('held back by plugin extra, which failed: preEnqueue returned')
  })

  test.for([['whatif', '--add-node', 'node-a'], ['capacity']])('%s names what it does not run', async (argv) => {
    const cluster = await clusterWith({ permit: () => undefined })
    await cluster.run(...argv, '--plugin-dir', 'plugins')
    expect(cluster.terminal.notes()).toContain(
      'Not evaluated: permit of plugin extra, which the scheduler runs later.\n',
    )
  })

  test.for([
    { command: 'whatif', argv: ['whatif', '--add-node', 'node-a'] },
    { command: 'explain', argv: ['explain', 'pod', 'web'] },
  ])('$command names the plugin and the node of a failing score', async ({ argv }) => {
    const failing = perNode({
      score: (_pod, { name }) => {
        if (name === 'node-b') throw new Error('no data')
        return 0
      },
    })
    await expect((await clusterWith(failing)).run(...argv, '--plugin-dir', 'plugins')).rejects.toThrow(
      /pod web: plugin extra failed: running Score plugin "extra": no data, for node node-b$/,
    )
  })
})

describe('capacity --scheduler-config --plugin-dir', () => {
  const argv = ['--scheduler-config', 'one.yaml', '--plugin-dir', 'plugins'] as const

  test('counts only nodes that the profile accepts, and says why it rejects the others', async () => {
    const cluster = await fiveNodes()
    const text = await cluster.run('capacity', dongle, ...argv)
    expect(text).toContain('  node-b accepts no pod: never to node-b.\n')
    expect(text).toContain('The largest request that still fits: 1.\n')
    expect(text).not.toContain('node-a accepts no pod')
    const { resources } = JSON.parse(await cluster.run('capacity', dongle, '-o', 'json', ...argv))
    expect(resources[0].largestBlock).toBe(1)
    expect(resources[0].nodes[1]).toMatchObject({ node: 'node-b', free: 4, rejectedBecause: ['never to node-b'] })
  })

  test('counts a node with a taint, because a pod may tolerate it', async () => {
    const cluster = testCluster(files, {}, [picky])
    await cluster.addNode('node-a', { [dongle]: '3' })
    await cluster.client.patch(
      resourceRefs.nodes,
      { name: 'node-a' },
      { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } },
      { type: 'merge' },
    )
    expect(await cluster.run('capacity', ...argv)).toContain('The largest request that still fits: 3.')
  })
})
