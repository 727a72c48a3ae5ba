import { snapshotCluster } from '@berth/cluster-view'
import { resourceRefs } from '@berth/k8s-client'
import { createFramework, decide, defaultPlugins } from '@berth/fit-engine'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

/** The seed's story: 4 dongles on one node, 3 of them used, and a pod that wants 2. */
async function seedStory(): Promise<TestCluster> {
  const cluster = testCluster()
  await cluster.addNode('node-a', { [dongle]: '4' })
  await cluster.addNode('node-b')
  await cluster.addPod('extended-resource-demo', { [dongle]: '3' }, { nodeName: 'node-a' })
  await cluster.addPod('extended-resource-demo-2', { [dongle]: '2' })
  return cluster
}

async function feasible(cluster: TestCluster): Promise<readonly string[]> {
  const { client } = cluster
  const signal = new AbortController().signal
  const { state } = await snapshotCluster(client, { signal })
  const pod = await client.get(resourceRefs.pods, { namespace: 'default', name: 'extended-resource-demo-2' })
  const framework = createFramework({ plugins: defaultPlugins() })
  return decide(framework, state, pod as never, { nowMs: 0, random: () => 0 }).feasible
}

describe('explain', () => {
  test('shows requested, offered and free units, and which pods hold the rest', async () => {
    const cluster = await seedStory()
    const text = await cluster.run('explain', 'pod', 'extended-resource-demo-2')
    expect(text).toContain('asks for example.com/dongle: 2 and fits on\nnone of 2 nodes.')
    expect(text).toContain('0/2 nodes are available: 2 Insufficient example.com/dongle.')
    expect(text).toContain(
      'node-a   no     example.com/dongle   2      4     1      default/extended-resource-demo (3)',
    )
    expect(text).toContain('node-b   no     example.com/dongle   2      0     0      not offered here')
    expect(text).toMatch(/NodeResourcesFit\s+2 -> 0/)
  })

  test('gives programs the same numbers and three fixes, cheapest first, with their commands', async () => {
    const cluster = await seedStory()
    const answer = JSON.parse(await cluster.run('explain', 'pod/extended-resource-demo-2', '-o', 'json'))
    expect(answer).toMatchObject({
      pod: { namespace: 'default', name: 'extended-resource-demo-2' },
      asks: { [dongle]: 2 },
      fits: false,
      nodes: [
        {
          node: 'node-a',
          verdict: 'unschedulable',
          resources: [{ asks: 2, has: 4, used: 3, free: 1, heldBy: [{ name: 'extended-resource-demo', amount: 3 }] }],
        },
        { node: 'node-b', verdict: 'unresolvable', resources: [{ asks: 2, has: 0, free: 0, heldBy: [] }] },
      ],
      unsupported: [],
    })
    expect(answer.fixes.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
      'add-capacity',
      'evict',
      'lower-request',
    ])
    const costs = answer.fixes.map(({ cost }: { cost: number }) => cost)
    expect(costs).toEqual(costs.toSorted((a: number, b: number) => a - b))
  })

  test.for([{ kind: 'lower-request' }, { kind: 'evict' }, { kind: 'add-capacity' }])(
    'proposes a fix of the kind $kind that really lets the pod fit',
    async ({ kind }) => {
      const cluster = await seedStory()
      expect(await feasible(cluster)).toEqual([])
      const { fixes } = JSON.parse(await cluster.run('explain', 'pod', 'extended-resource-demo-2', '-o', 'json'))
      const fix = fixes.find((one: { kind: string }) => one.kind === kind)
      await carryOut(cluster, fix.commands[0])
      expect(await feasible(cluster)).toEqual([fix.node])
    },
  )

  test('names the volume, the label and the node when a claim has no volume', async () => {
    const cluster = testCluster()
    const { client } = cluster
    for (const name of ['node-a', 'node-b']) await cluster.addNode(name, {}, { labels: { disk: name } })
    await client.create(resourceRefs.storageClasses, {
      metadata: { name: 'local' },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    } as never)
    const matchExpressions = [{ key: 'disk', operator: 'In', values: ['node-c'] }]
    await client.create(resourceRefs.persistentVolumes, {
      metadata: { name: 'pv-1' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        local: { path: '/mnt' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
      status: { phase: 'Available' },
    } as never)
    await client.create(resourceRefs.persistentVolumeClaims, {
      metadata: { name: 'data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        resources: { requests: { storage: '1Gi' } },
      },
    } as never)
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
    await cluster.addPod('db', {}, { volumes })
    const text = await cluster.run('explain', 'pod', 'db')
    expect(text).toContain(`CAUSES
  node-a:
    Volume pv-1 does not match claim data: only nodes with disk in (node-c)
    reach it; node node-a has disk=node-a.
    Storage class local of claim data provisions no volumes (provisioner
    kubernetes.io/no-provisioner).
`)
    const { nodes } = JSON.parse(await cluster.run('explain', 'pod', 'db', '-o', 'json')) as {
      readonly nodes: readonly { readonly node: string; readonly volumes: readonly object[] }[]
    }
    expect(nodes[1]).toMatchObject({
      node: 'node-b',
      volumes: [{ claim: 'data', volume: 'pv-1', problem: 'unreachable' }, { problem: 'no-provisioner' }],
    })
  })

  test('names the taint and the label that keep the pod off each node', async () => {
    const cluster = testCluster()
    await cluster.addNode('node-a', {}, { labels: { disk: 'hdd' } })
    await cluster.addNode('node-b')
    await cluster.client.patch(
      resourceRefs.nodes,
      { name: 'node-b' },
      { spec: { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] } },
      { type: 'merge' },
    )
    await cluster.addPod('web', {}, { nodeSelector: { disk: 'ssd' } })
    expect(await cluster.run('explain', 'pod', 'web')).toContain(`CAUSES
  node-a:
    The nodeSelector of the pod requires disk=ssd; the node has disk=hdd.
  node-b:
    The pod does not tolerate the taint dedicated=gpu:NoSchedule.
    The nodeSelector of the pod requires disk=ssd; the node has no label disk.
`)
  })

  test('names the advertiser where Berth wrote the number', async () => {
    const cluster = testCluster()
    await cluster.addNode('node-a', { [dongle]: '1' }, { annotations: { 'berth.dev/advertised': `{"${dongle}":"1"}` } })
    await cluster.addPod('demo', { [dongle]: '2' })
    const { fixes } = JSON.parse(await cluster.run('explain', 'pod', 'demo', '-o', 'json'))
    const fix = fixes.find(({ kind }: { kind: string }) => kind === 'add-capacity')
    expect(fix).toMatchObject({
      commands: [],
      note: expect.stringContaining("configuration of Berth's advertiser for node node-a: example.com/dongle: 2"),
    })
  })

  test('changes the Deployment behind a pod, not the pod', async () => {
    const cluster = await seedStory()
    const template = { metadata: { labels: { app: 'w' } }, spec: { containers: [{ name: 'ctr', image: 'nginx' }] } }
    const spec = { selector: { matchLabels: { app: 'w' } }, template }
    const own = (owner: { metadata?: { uid?: string } }, apiVersion: string, kind: string, name: string) => ({
      ownerReferences: [{ apiVersion, kind, name, uid: owner.metadata?.uid ?? '', controller: true }],
    })
    const apps = { apiVersion: 'apps/v1', spec }
    const deployment = await cluster.create(resourceRefs.deployments, {
      ...apps,
      kind: 'Deployment',
      metadata: { name: 'w', namespace: 'default' },
    })
    const set = await cluster.create(resourceRefs.replicaSets, {
      ...apps,
      kind: 'ReplicaSet',
      metadata: { name: 'w-1', namespace: 'default', ...own(deployment, 'apps/v1', 'Deployment', 'w') },
    })
    await cluster.addPod('w-1-x', { [dongle]: '2' }, { metadata: own(set, 'apps/v1', 'ReplicaSet', 'w-1') })
    const text = await cluster.run('explain', 'pod', 'w-1-x')
    expect(text).toContain(
      'kubectl set resources deployment/w -n default -c ctr --requests=example.com/dongle=1 --limits=example.com/dongle=1',
    )
  })

  test('evaluates a running pod as if it were to be placed again', async () => {
    const cluster = await seedStory()
    const text = await cluster.run('explain', 'pod', 'extended-resource-demo')
    expect(text.replaceAll('\n', ' ')).toContain(
      'fits on 1 of 2 nodes, best on node-a. It is assigned to node-a; this shows where it would be placed again.',
    )
    expect(text).toContain('node-a   yes    example.com/dongle   3      4     4      <none>')
  })

  test('evaluates a manifest and creates nothing', async () => {
    const manifest = `kind: Pod\nmetadata: {name: new}\nspec: {containers: [{name: c, resources: {limits: {${dongle}: 2}}}]}\n`
    const cluster = testCluster({ 'pod.yaml': manifest })
    await cluster.addNode('node-a', { [dongle]: '1' })
    const text = await cluster.run('explain', '-f', 'pod.yaml')
    expect(text).toContain('Pod default/new asks for example.com/dongle: 2')
    expect(text).toContain('kubectl apply -f pod.yaml')
    expect((await cluster.client.list(resourceRefs.pods)).items).toEqual([])
  })

  test('names the features that it does not evaluate', async () => {
    const cluster = await seedStory()
    await cluster.addPod('claims', {}, { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] })
    expect(await cluster.run('explain', 'pod', 'claims')).toContain('Not evaluated: spec.resourceClaims')
  })

  test('says why a pod group waits, and how many of its members fit', async () => {
    const cluster = await seedStory()
    const groupOf = (name: string): Promise<string> =>
      cluster.run('explain', 'pod', name).then((text) => text.replaceAll(/\s+/g, ' '))
    const more = { schedulingGroup: { podGroupName: 'workers' } }
    await cluster.addPod('worker-0', { cpu: '1' }, more)
    expect(await groupOf('worker-0')).toContain(
      'The pod is placed with its group: waiting for pod group default/workers: the cluster does not serve PodGroup of scheduling.k8s.io.',
    )
    const group = {
      metadata: { name: 'workers', namespace: 'default' },
      spec: { schedulingPolicy: { gang: { minCount: 3 } } },
    }
    cluster.serve('/apis/scheduling.k8s.io/v1alpha2', { resources: [{ name: 'podgroups' }] })
    expect(await groupOf('worker-0')).toContain('waiting for pod group default/workers to be created')
    cluster.serve('/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups/workers', group)
    expect(await groupOf('worker-0')).toContain('1 of at least 3 exist')
    await cluster.addPod('worker-1', { cpu: '1' }, more)
    await cluster.addPod('worker-2', { cpu: '1000' }, more)
    expect(await groupOf('worker-0')).toContain(
      'pod group default/workers: 2 of 3 waiting members fit, at least 3 must fit together; the first that does not fit: 0/',
    )
  })

  test.for([
    {
      it: 'a pod that is not there',
      argv: ['explain', 'pod', 'nope', '-n', 'lab'],
      error: { code: 'BERTH_KUBECTL_NOT_FOUND', hint: 'List the pods: kubectl get pods -n lab' },
    },
    {
      it: 'a file that is not there',
      argv: ['explain', '-f', 'nope.yaml'],
      error: { code: 'BERTH_KUBECTL_FILE', message: 'read nope.yaml: no such file or directory' },
    },
  ])('fails for $it and names the next command', async ({ argv, error }) => {
    await expect(testCluster().run(...argv)).rejects.toMatchObject(error)
  })

  test('answers without the kinds that may not be listed, and says which', async () => {
    const cluster = await seedStory()
    cluster.forbid('persistentvolumes', 'poddisruptionbudgets')
    expect(await cluster.run('explain', 'pod', 'extended-resource-demo-2')).toContain('none of 2 nodes')
    expect(cluster.terminal.notes()).toBe(
      'Evaluated without persistentvolumes, poddisruptionbudgets: this user may not list them.\n',
    )
  })

  test('says that a resource that a DeviceClass provides is not evaluated', async () => {
    const cluster = await seedStory()
    const pod = {
      metadata: { name: 'wants-gpu', namespace: 'default' },
      spec: { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '1' } } }] },
    }
    const deviceClass = { metadata: { name: 'gpus' }, spec: { extendedResourceName: 'example.com/gpu' } }
    cluster.serve('/api/v1/namespaces/default/pods/wants-gpu', pod)
    cluster.serve('/apis/resource.k8s.io/v1/deviceclasses', { metadata: {}, items: [deviceClass] })
    const text = await cluster.run('explain', 'pod', 'wants-gpu')
    expect(text).toContain('Not evaluated: resources.requests[example.com/gpu]: DeviceClass gpus backs it')
    expect(text.replaceAll(/\s+/g, ' ')).toContain('which is delegated to DeviceClass gpus.')
  })

  test('skips a pod whose amounts are not quantities, and names it', async () => {
    const cluster = await seedStory()
    const broken = {
      metadata: { name: 'broken', namespace: 'default' },
      spec: { nodeName: 'node-a', containers: [{ name: 'c', resources: { requests: { cpu: 'x' } } }] },
    }
    cluster.serve('/api/v1/pods', { metadata: {}, items: [broken] })
    await cluster.run('explain', 'pod', 'extended-resource-demo-2')
    expect(cluster.terminal.notes()).toBe('Skipped unreadable objects: pods default/broken\n')
  })

  test('says what the API says when nodes may not be listed', async () => {
    const cluster = await seedStory()
    cluster.forbid('nodes')
    const text = await cluster.run('explain', 'pod', 'extended-resource-demo-2')
    expect(text).toContain('The pod is Pending.')
    expect(text.replaceAll(/\s+/g, ' ')).toContain('was not evaluated: this user may not list nodes.')
    expect(text).not.toContain('Berth found no change')
    expect(cluster.terminal.notes()).toBe('Evaluated without nodes: this user may not list them.\n')
  })

  test('reads the pods of the namespace where those of the cluster may not be listed', async () => {
    const cluster = await seedStory()
    cluster.forbidClusterWide('pods', 'persistentvolumeclaims')
    expect(await cluster.run('explain', 'pod', 'extended-resource-demo-2')).toContain(
      'default/extended-resource-demo (3)',
    )
    expect(cluster.terminal.notes()).toBe(
      'Evaluated without persistentvolumeclaims (other namespaces), pods (other namespaces): this user may not list them.\n',
    )
  })
})

/** Does what the printed command does, for the three commands of the story. */
async function carryOut({ client }: TestCluster, command: string): Promise<void> {
  const name = { namespace: 'default', name: 'extended-resource-demo-2' }
  const [, amount] = /\|example\.com\/dongle: "(\d+)"\|'/.exec(command) ?? []
  const [, victim] = /^kubectl delete pod (\S+) -n default$/.exec(command) ?? []
  const [, node, patch] = /^kubectl patch node (\S+) --subresource=status --type=merge -p '(.*)'$/.exec(command) ?? []
  if (amount !== undefined) {
    const asks = { [dongle]: amount }
    await client.delete(resourceRefs.pods, name, { gracePeriodSeconds: 0 })
    await client.create(resourceRefs.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: name,
      spec: { containers: [{ name: 'ctr', image: 'nginx', resources: { requests: asks, limits: asks } }] },
    } as never)
  } else if (victim !== undefined) {
    await client.delete(resourceRefs.pods, { namespace: 'default', name: victim }, { gracePeriodSeconds: 0 })
  } else if (node !== undefined && patch !== undefined) {
    await client.patchNodeStatus(node, JSON.parse(patch), { fieldManager: 'kubectl' })
  } else {
    throw new Error(`the test does not know this command: ${command}`)
  }
}
