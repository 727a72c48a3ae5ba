import { systemClock } from '@berth/clock'
import { type ResourceRef, resourceRefs, type Cluster } from '@berth/k8s-client'
import { createApiServer, serveApiServer } from '@berth/simulator'
import { eventually } from '@berth/testing'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectQuietly } from '../cluster/connect-with-kubeconfig.ts'
import { createAuthority } from './certificates.ts'
import { startExtender } from './extender-process.ts'
import { startKubeScheduler } from './kube-scheduler.ts'
import { type RecordedCall, startRecordingProxy } from './recording-proxy.ts'

const DONGLE = 'example.com/dongle'
const customResourceDefinitions: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
const NODES = ['node-1', 'node-2', 'node-3']
const WAIT_MS = 60_000
/** The order of the calls in a recording. */
const VERBS = ['filter', 'prioritize', 'preempt', 'bind']

/**
 * Lets a real kube-scheduler place pods with the extender on an embedded cluster, and returns its first call of each verb. It
 * waits until every pod is bound and an important pod has its nominated node, so kube-scheduler understood each response.
 *
 * @param options.program - Path of kube-scheduler.
 * @param options.nodeCacheCapable - Whether kube-scheduler sends node names instead of whole nodes.
 */
export async function recordCalls(options: {
  readonly program: string
  readonly nodeCacheCapable: boolean
}): Promise<readonly RecordedCall[]> {
  await using parts = new AsyncDisposableStack()
  const world = { clock: systemClock(), random: Math.random, log: silentLogger }
  const api = createApiServer(world)
  const served = parts.use(await serveApiServer(api))
  const cluster = parts.use(connectQuietly({ handler: api.handle }))
  const dir = parts.adopt(mkdtempSync(join(tmpdir(), 'berth-record-')), (path) => rmSync(path, { recursive: true }))
  const authority = await createAuthority()
  const [server, caller] = await Promise.all([authority.issue('extender'), authority.issue('kube-scheduler')])
  const kubeconfig = served.kubeconfig()
  const { ca } = authority
  const extender = parts.use(
    await startExtender({ dir, name: 'recorded', kubeconfig, server, ca, config: { bind: true } }),
  )
  const proxy = parts.use(await startRecordingProxy(extender.port, { ...caller, ca }))
  await createNodes(cluster)
  await defineDeviceTaintRules(cluster)
  const scheduler = startKubeScheduler({
    dir,
    kubeconfig,
    program: options.program,
    extender: {
      port: proxy.port,
      ca,
      caller,
      entry: { nodeCacheCapable: options.nodeCacheCapable, managedResources: [{ name: DONGLE }] },
    },
  })
  parts.defer(() => scheduler.kill())
  const until = (what: string, isDone: (pod: Pod) => boolean, names: readonly string[]): Promise<boolean> =>
    eventually(
      async () => {
        const end = scheduler.exit()
        if (end !== undefined) throw new Error(`kube-scheduler exited: ${end}: ${scheduler.lastLogLines()}`)
        const { items } = await cluster.client.list<Pod>(resourceRefs.pods, { namespace: 'default' })
        if (items.filter((pod) => names.includes(pod.metadata.name ?? '') && isDone(pod)).length < names.length)
          throw new Error(`its last log lines: ${scheduler.lastLogLines()}`)
        return true
      },
      { what, timeoutMs: WAIT_MS, signal: new AbortController().signal },
    )
  const holders = NODES.map((_, i) => `holder-${i}`)
  for (const name of holders) await createPod(cluster, name, 0)
  await until('the pods to be bound', ({ spec }) => spec.nodeName !== undefined, holders)
  await createPod(cluster, 'urgent', 1_000)
  await until('the important pod to be nominated', ({ status }) => status?.nominatedNodeName !== undefined, ['urgent'])
  return VERBS.map((verb) => {
    const call = proxy.calls.find((each) => each.verb === verb)
    if (call === undefined) throw new Error(`kube-scheduler made no ${verb} call`)
    return call
  })
}

async function createNodes({ client }: Cluster): Promise<void> {
  const amounts = { cpu: '4', memory: '8Gi', pods: '10', [DONGLE]: '1' }
  const status = { capacity: amounts, allocatable: amounts }
  for (const name of NODES) {
    await client.create<Node>(resourceRefs.nodes, { metadata: { name }, spec: {}, status })
    await client.patch(resourceRefs.nodes, { name }, { status }, { type: 'merge', subresource: 'status' })
  }
}

/** Defines a kind that kube-scheduler 1.37 waits for. The embedded API server has the kinds of 1.36. */
async function defineDeviceTaintRules({ client }: Cluster): Promise<void> {
  const [group, plural] = ['resource.k8s.io', 'devicetaintrules']
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = {
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, only for a recording' },
    },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, singular: 'devicetaintrule', kind: 'DeviceTaintRule', listKind: 'DeviceTaintRuleList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  await client.create(customResourceDefinitions, definition)
}

async function createPod({ client }: Cluster, name: string, priority: number): Promise<void> {
  const resources = { requests: { [DONGLE]: '1' }, limits: { [DONGLE]: '1' } }
  await client.create<Pod>(resourceRefs.pods, {
    metadata: { name, namespace: 'default', labels: { app: 'web' }, annotations: { 'example.com/note': 'ä\u2028"' } },
    spec: {
      ...(priority > 0 && { priorityClassName: 'system-cluster-critical' }),
      containers: [{ name: 'main', image: 'none', resources }],
      nodeSelector: {},
    },
  })
}
