import { isDeepStrictEqual } from 'node:util'
import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import { type Lease, type Node, type Pod } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admissionOutcome, refusedNodeChanges } from '../../real-api-server/admission-outcome.ts'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { installChartObjects } from '../../real-api-server/install-chart-objects.ts'
import { policyWarnings } from '../../real-api-server/policy-warnings.ts'
import { startRealApiServer, type Identity } from '../../real-api-server/real-api-server.ts'

const NAMESPACE = 'berth-system'
const SEAT = 'example.com/seat'
const seats = { [SEAT]: '2' }
const advertised = {
  metadata: { annotations: { 'berth.dev/advertised': `{"${SEAT}":"2"}` } },
  status: { capacity: seats, allocatable: seats },
}
const withdrawn = {
  metadata: { annotations: { 'berth.dev/advertised': null } },
  status: { capacity: { [SEAT]: null }, allocatable: { [SEAT]: null } },
}
const LEASE = 'berth-advertiser'

/** The account of the advertiser, with a token that is bound to its pod on node-1, or to no pod. */
type Caller = 'pod on node-1' | 'no pod'

describe.for(['node', 'central'] as const)('in mode %s, on a real API server, the advertiser', (mode) => {
  const parts = new AsyncDisposableStack()
  const callers = new Map<Caller, Cluster>()
  let admin: Cluster

  const as = (caller: Caller): Cluster => {
    const found = callers.get(caller)
    if (found === undefined) throw new Error(`no caller ${caller}`)
    return found
  }
  const patchNode = (caller: Caller, node: string, body: object, fieldManager = 'berth-advertiser'): Promise<string> =>
    admissionOutcome(as(caller).client.patchNodeStatus(node, body, { fieldManager }))
  const createLease = (caller: Caller, name: string): Promise<string> => {
    const lease: Lease = { metadata: { namespace: NAMESPACE, name }, spec: { holderIdentity: 'a' } }
    return admissionOutcome(as(caller).client.create<Lease>(resourceRefs.leases, lease))
  }
  /** The fields that the advertiser may try to change. The controllers of the cluster write conditions and taints meanwhile. */
  const nodesNow = async (): Promise<readonly unknown[]> =>
    (await admin.client.list<Node>(resourceRefs.nodes)).items.map(({ metadata, status }) => {
      const { capacity, allocatable, daemonEndpoints } = (status ?? {}) as Readonly<Record<string, unknown>>
      const record = metadata.annotations?.['berth.dev/advertised']
      return { zone: metadata.labels?.['zone'], record, capacity, allocatable, daemonEndpoints }
    })

  beforeAll(async () => {
    const server = parts.use(await startRealApiServer({ hasControllers: true }))
    const connect = (identity: Identity): Cluster => parts.use(connectQuietly({ access: server.access(identity) }))
    admin = connect('admin')
    const resources = [{ name: SEAT, units: 2, nodes: { selector: {} } }]
    const installed = await installChartObjects(server, admin.client, {
      profile: 'advertiser-only',
      values: { advertiser: { mode, config: { resources } } },
    })
    const amounts = { cpu: '4', 'vendor.io/fpga': '1' }
    for (const name of ['node-1', 'node-2']) {
      await admin.client.create<Node>(resourceRefs.nodes, { metadata: { name, labels: { zone: 'a' } } })
      const status = { capacity: amounts, allocatable: amounts }
      await admin.client.patchNodeStatus(name, { status }, { fieldManager: 'kubelet' })
    }
    await admin.client.create<Pod>(resourceRefs.pods, {
      metadata: { namespace: NAMESPACE, name: 'advertiser' },
      spec: {
        nodeName: 'node-1',
        serviceAccountName: 'berth-advertiser',
        containers: [{ name: 'main', image: 'none' }],
      },
    })
    callers.set('pod on node-1', connect(await installed.identityOf('berth-advertiser', 'advertiser')))
    callers.set('no pod', connect(await installed.identityOf('berth-advertiser')))
    // The API server acts on a policy some time after its creation.
    const isRefused = async (refusal: Promise<string>): Promise<true | undefined> =>
      (await refusal) === 'allowed' ? undefined : true
    const wait = { timeoutMs: 60_000, signal: new AbortController().signal }
    const unchanged = { status: { capacity: { cpu: '4' } } }
    await eventually(() => isRefused(patchNode('no pod', 'node-1', unchanged, 'other')), {
      ...wait,
      what: 'the policy',
    })
    if (mode === 'node')
      await eventually(() => isRefused(createLease('pod on node-1', `probe-${Math.random()}`)), {
        ...wait,
        what: 'the policy of Leases',
      })
  })

  afterAll(() => parts.disposeAsync())

  test('has policies without warnings of the type checker', async () => {
    const names = mode === 'node' ? ['berth-advertiser', 'berth-advertiser-leases'] : ['berth-advertiser']
    for (const name of names)
      expect([name, await policyWarnings(admin.client, `${name}.${NAMESPACE}`)]).toEqual([name, []])
  })

  const NODE_ONLY = 'only the node of its own pod'
  test.for<{ readonly caller: Caller; readonly node: string; readonly inModeNode: string }>([
    { caller: 'pod on node-1', node: 'node-1', inModeNode: 'allowed' },
    { caller: 'pod on node-1', node: 'node-2', inModeNode: NODE_ONLY },
    { caller: 'no pod', node: 'node-1', inModeNode: NODE_ONLY },
  ])(
    'with the token of $caller writes the status of $node: $inModeNode in mode node',
    async ({ caller, node, inModeNode }) => {
      await admin.client.patchNodeStatus(node, withdrawn, { fieldManager: 'e2e' })
      const before = await nodesNow()
      const expected = mode === 'node' ? inModeNode : 'allowed'
      expect(await patchNode(caller, node, advertised)).toContain(expected)
      const isChanged = !isDeepStrictEqual(await nodesNow(), before)
      expect(isChanged).toBe(expected === 'allowed')
    },
  )

  test.for(refusedNodeChanges)('is refused on its own node when it changes $it', async ({ body, says }) => {
    const before = await nodesNow()
    expect(await patchNode('pod on node-1', 'node-1', body)).toContain(says)
    expect(await nodesNow()).toEqual(before)
  })

  test('cannot write in the name of the kubelet', async () => {
    expect(await patchNode('pod on node-1', 'node-1', advertised, 'kubelet')).toContain('only as the field manager')
  })

  test.for<{ readonly caller: Caller; readonly name: string; readonly inModeNode: string }>([
    { caller: 'pod on node-1', name: `${LEASE}.node.node-1`, inModeNode: 'allowed' },
    { caller: 'pod on node-1', name: `${LEASE}.node.node-2`, inModeNode: 'only the Lease of the node' },
    { caller: 'pod on node-1', name: LEASE, inModeNode: 'only the Lease of the node' },
    { caller: 'pod on node-1', name: 'berth-scheduler', inModeNode: 'only the Lease of the node' },
    { caller: 'no pod', name: `${LEASE}.node.node-3`, inModeNode: 'only the Lease of the node' },
  ])(
    'with the token of $caller creates the Lease $name: $inModeNode in mode node',
    async ({ caller, name, inModeNode }) => {
      expect(await createLease(caller, name)).toContain(mode === 'node' ? inModeNode : 'allowed')
    },
  )

  test('cannot take over a Lease that exists', async () => {
    const target = { namespace: NAMESPACE, name: 'berth-scheduler.other' }
    const lease: Lease = { metadata: target, spec: { holderIdentity: 'scheduler' } }
    const created = await admin.client.create<Lease>(resourceRefs.leases, lease)
    const taken: Lease = { ...created, spec: { holderIdentity: 'advertiser' } }
    expect(await admissionOutcome(as('pod on node-1').client.update<Lease>(resourceRefs.leases, taken))).toContain(
      'forbidden',
    )
  })
})
