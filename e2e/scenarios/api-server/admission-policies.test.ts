import { isApiStatus, resourceRefs, type Cluster, type ResourceRef } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { KubernetesObject, Node, Pod } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { installChartObjects } from '../../real-api-server/install-chart-objects.ts'
import { startRealApiServer, type Identity } from '../../real-api-server/real-api-server.ts'

const SEAT = 'example.com/seat'
const RECORD = 'berth.dev/advertised'
const policies: ResourceRef = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  namespaced: false,
}
interface TypeChecked extends KubernetesObject {
  readonly status?: {
    readonly observedGeneration?: number
    readonly typeChecking?: { readonly expressionWarnings?: readonly unknown[] }
  }
}
type Managed = { readonly manager?: string; readonly fieldsV1?: unknown }
const managedBy = (object: KubernetesObject, manager: string): readonly Managed[] =>
  ((object.metadata?.managedFields ?? []) as readonly Managed[]).filter((entry) => entry.manager === manager)

describe('the admission policies of the chart on a real API server', () => {
  const parts = new AsyncDisposableStack()
  const clusters = new Map<string, Cluster>()
  let admin: Cluster

  const as = (account: string): Cluster => {
    const found = clusters.get(account)
    if (found === undefined) throw new Error(`no account ${account}`)
    return found
  }
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: 60_000, signal: new AbortController().signal })
  /** Resolves to `allowed`, or to the message of the refusal. */
  const answer = async (write: Promise<unknown>): Promise<string> => {
    try {
      await write
      return 'allowed'
    } catch (error) {
      if (isApiStatus(error, 422) || isApiStatus(error, 403)) return error.message
      throw error
    }
  }
  const patchNode = (account: string, body: object, fieldManager = 'berth-advertiser'): Promise<string> =>
    answer(as(account).client.patchNodeStatus('node-1', body, { fieldManager }))
  const patchPod = (name: string, body: object, fieldManager = 'berth', account = 'berth-scheduler'): Promise<string> =>
    answer(
      as(account).client.patch(resourceRefs.pods, { namespace: 'default', name }, body, {
        type: 'strategic',
        subresource: 'status',
        fieldManager,
      }),
    )
  const condition = (type: string, reason: string, status = 'False') => ({
    status: { conditions: [{ type, status, reason, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  })
  const nodeNow = (): Promise<Node> => admin.client.get<Node>(resourceRefs.nodes, { name: 'node-1' })

  beforeAll(async () => {
    const server = parts.use(await startRealApiServer({ hasControllers: true }))
    const connect = (identity: Identity): Cluster => parts.use(connectQuietly({ access: server.access(identity) }))
    admin = connect('admin')
    const resources = [{ name: SEAT, units: 2, nodes: { selector: {} } }]
    const installed = await installChartObjects(server, admin.client, {
      profile: 'full',
      values: { advertiser: { config: { resources, clearStaleZeros: ['vendor.io/gone'] } } },
    })
    for (const account of ['berth-advertiser', 'berth-uninstall', 'berth-scheduler'])
      clusters.set(account, connect(await installed.identityOf(account)))
    const amounts = { cpu: '4', memory: '8Gi', pods: '100', 'vendor.io/fpga': '1', 'vendor.io/gone': '0' }
    // Created through the API, which therefore records the owners of its fields.
    await admin.client.create<Node>(resourceRefs.nodes, { metadata: { name: 'node-1', labels: { zone: 'a' } } })
    await admin.client.patchNodeStatus(
      'node-1',
      { status: { capacity: amounts, allocatable: amounts } },
      { fieldManager: 'kubelet' },
    )
    const isReady = { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: null }] }
    await admin.client.patchNodeStatus('node-1', { status: isReady }, { fieldManager: 'kubelet' })
    for (const [name, schedulerName] of [
      ['own', 'berth-scheduler'],
      ['ending', 'berth-scheduler'],
      ['foreign', 'elsewhere'],
    ] as const) {
      const finalizers = name === 'ending' ? ['example.com/hold'] : []
      await admin.client.create<Pod>(resourceRefs.pods, {
        metadata: { namespace: 'default', name, labels: { team: 'a' }, finalizers },
        spec: { schedulerName, containers: [{ name: 'main', image: 'none' }] },
      })
    }
    await admin.client.delete(resourceRefs.pods, { namespace: 'default', name: 'ending' })
    // The API server acts on a policy some time after its creation.
    for (const account of ['berth-advertiser', 'berth-uninstall'])
      await until(`the policy of ${account}`, async () =>
        (await patchNode(account, { status: { capacity: { cpu: '4' } } }, 'other')) === 'allowed' ? undefined : true,
      )
    await until('the policy of the scheduler', async () =>
      (await patchPod('own', { metadata: { labels: { team: 'a' } } }, 'other')) === 'allowed' ? undefined : true,
    )
  })

  afterAll(() => parts.disposeAsync())

  test('have no warnings of the type checker', async () => {
    for (const name of ['berth-advertiser', 'berth-uninstall', 'berth-scheduler']) {
      const { status } = await until(`the type check of ${name}`, async () => {
        const policy = await admin.client.get<TypeChecked>(policies, { name: `${name}.berth-system` })
        return policy.status?.observedGeneration === undefined ? undefined : policy
      })
      expect([name, status?.typeChecking?.expressionWarnings ?? []]).toEqual([name, []])
    }
  })

  const seats = { [SEAT]: '2' }
  const advertised = {
    metadata: { annotations: { [RECORD]: `{"${SEAT}":"2"}` } },
    status: { capacity: seats, allocatable: seats },
  }
  const withdrawn = {
    metadata: { annotations: { [RECORD]: null } },
    status: { capacity: { [SEAT]: null }, allocatable: { [SEAT]: null } },
  }

  test('let the advertiser and the uninstall write and withdraw what is declared', async () => {
    for (const account of ['berth-advertiser', 'berth-uninstall']) {
      expect([account, await patchNode(account, advertised)]).toEqual([account, 'allowed'])
      expect((await nodeNow()).status?.allocatable).toMatchObject(seats)
      expect([account, await patchNode(account, withdrawn)]).toEqual([account, 'allowed'])
      expect((await nodeNow()).status?.capacity).not.toHaveProperty(SEAT)
    }
  })

  describe.for(['berth-advertiser', 'berth-uninstall'])('%s', (account) => {
    test.for([
      {
        it: 'a name that is not declared',
        body: { status: { capacity: { 'example.com/new': '1' } } },
        says: 'declares',
      },
      { it: 'the amount of cpu', body: { status: { allocatable: { cpu: '64' } } }, says: 'declares' },
      {
        it: 'a device of another owner',
        body: { status: { capacity: { 'vendor.io/fpga': null } } },
        says: 'remove from',
      },
      { it: 'a condition', body: condition('Ready', 'Forged'), says: 'only capacity and allocatable' },
      {
        it: 'the kubelet port',
        body: { status: { daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } },
        says: 'only capacity',
      },
      { it: 'a label', body: { metadata: { labels: { zone: 'b' } } }, says: 'its own annotations of the metadata' },
      { it: 'a finalizer', body: { metadata: { finalizers: ['a.b/c'] } }, says: 'its own annotations of the metadata' },
      {
        it: 'an annotation',
        body: { metadata: { annotations: { note: 'x' } } },
        says: 'only the annotations berth.dev',
      },
    ])('is refused when it changes $it', async ({ body, says }) => {
      const before = await nodeNow()
      expect(await patchNode(account, body)).toContain(says)
      expect(await nodeNow()).toEqual(before)
    })

    test('cannot change the spec through the status', async () => {
      const { spec } = await nodeNow()
      await patchNode(account, { spec: { unschedulable: true, taints: [{ key: 'a', effect: 'NoExecute' }] } })
      expect((await nodeNow()).spec).toEqual(spec)
    })

    test('cannot write in the name of the kubelet, or change who owns the fields of others', async () => {
      expect(await patchNode(account, { status: { capacity: seats } }, 'kubelet')).toContain(
        'only as the field manager',
      )
      const kubelet = managedBy(await nodeNow(), 'kubelet')
      expect(kubelet).toHaveLength(1)
      const forged = { manager: 'forged', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }
      for (const managedFields of [[], [{}], [forged]]) {
        await patchNode(account, { metadata: { managedFields } })
        expect(managedBy(await nodeNow(), 'kubelet')).toEqual(kubelet)
        expect(managedBy(await nodeNow(), 'forged')).toEqual([])
      }
    })
  })

  const victim = condition('DisruptionTarget', 'PreemptionByScheduler', 'True')
  const unschedulable = condition('PodScheduled', 'Unschedulable')
  test.for([
    { it: 'report that its pod waits', pod: 'own', body: unschedulable },
    { it: 'nominate a node', pod: 'own', body: { status: { nominatedNodeName: 'node-1' } } },
    { it: 'clear the nomination', pod: 'own', body: { status: { nominatedNodeName: null } } },
    { it: 'mark a plugin that hangs', pod: 'own', body: condition('hung-plugin.berth.dev/slow', 'PluginHung', 'True') },
    { it: 'report a pod that is being deleted', pod: 'ending', body: unschedulable },
    { it: 'mark a victim of another scheduler', pod: 'foreign', body: victim },
  ])('lets the scheduler $it', async ({ pod, body }) => {
    expect(await patchPod(pod, body)).toBe('allowed')
  })

  test.for([
    {
      it: 'the phase',
      pod: 'own',
      body: { status: { phase: 'Running' } },
      says: 'only conditions and nominatedNodeName',
    },
    { it: 'the address', pod: 'own', body: { status: { podIPs: [{ ip: '10.0.0.1' }] } }, says: 'only conditions and' },
    { it: 'the readiness', pod: 'own', body: condition('Ready', 'Forged', 'True'), says: 'conditions of scheduling' },
    { it: 'a label', pod: 'own', body: { metadata: { labels: { team: 'b' } } }, says: 'not change the metadata' },
    { it: 'a finalizer', pod: 'own', body: { metadata: { finalizers: ['a.b/c'] } }, says: 'not change the metadata' },
    { it: 'the report of another scheduler', pod: 'foreign', body: unschedulable, says: 'conditions of scheduling' },
    {
      it: 'the nomination of another scheduler',
      pod: 'foreign',
      body: { status: { nominatedNodeName: 'node-1' } },
      says: 'pods of its own profiles',
    },
  ])('refuses the scheduler a change of $it', async ({ pod, body, says }) => {
    expect(await patchPod(pod, body)).toContain(says)
  })

  test('refuses the scheduler a write in the name of the kubelet', async () => {
    expect(await patchPod('own', unschedulable, 'kubelet')).toContain('only as the field manager berth')
  })
})
