import { resourceRefs, type Cluster, type ResourceRef } from '@berth/k8s-client'
import { type RunningProgram, startProgram } from '@berth/process/testing'
import { eventually } from '@berth/testing'
import type { KubernetesObject, Node, Pod, PodSpec } from '@berth/types'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { parseAuditLog } from '../../cluster/audit-log.ts'
import { lacksGate } from '../../cluster/version-differences.ts'
import { toStoredObject } from '../../real-api-server/large-cluster.ts'
import { realApiServerBinaries, startRealApiServer, type RealApiServer } from '../../real-api-server/real-api-server.ts'
import { startServerProcess } from '../../real-api-server/server-process.ts'

const GATES = '--feature-gates=GenericWorkload=true,GangScheduling=true'
const hasGangs = !lacksGate('GenericWorkload')
const BENCH = 'example.com/bench'
const SCHEDULER_USER = 'system:kube-scheduler'
const main = join(import.meta.dirname, '../../../apps/scheduler/src/main.ts')
const ref = (group: string, version: string, plural: string, kind: string, namespaced = false): ResourceRef => ({
  group,
  version,
  plural,
  kind,
  namespaced,
})
const podGroups = ref('scheduling.k8s.io', 'v1alpha2', 'podgroups', 'PodGroup', true)
const priorityClasses = ref('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass')
const storageClasses = ref('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass')
const volumes = ref('', 'v1', 'persistentvolumes', 'PersistentVolume')
const claims = ref('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', true)
const inDefault = (name: string) => ({ namespace: 'default', name })
const storage = { storage: '1Mi' }

describe(`a real API server with pod groups, and the user ${SCHEDULER_USER}`, () => {
  const parts = new AsyncDisposableStack()
  const dir = mkdtempSync(join(tmpdir(), 'berth-drop-in-'))
  const auditLog = join(dir, 'audit.log')
  let server: RealApiServer
  let cluster: Cluster
  let kubeconfig: string

  const write = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text, { mode: 0o600 })
    return join(dir, name)
  }
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: 120_000, intervalMs: 150, signal: new AbortController().signal })
  const create = (type: ResourceRef, object: object): Promise<unknown> => cluster.client.create(type, object)
  const createPod = (name: string, spec: Partial<PodSpec>): Promise<unknown> => {
    const resources = { requests: { [BENCH]: '1' }, limits: { [BENCH]: '1' } }
    const containers = [{ name: 'main', image: 'pause', resources }]
    return create(resourceRefs.pods, {
      metadata: inDefault(name),
      spec: { terminationGracePeriodSeconds: 0, containers, ...spec },
    })
  }
  const deletePods = (names: readonly string[]): Promise<unknown> =>
    Promise.all(names.map((name) => cluster.client.delete(resourceRefs.pods, inDefault(name))))
  const nodeOf = async (name: string): Promise<string | undefined> =>
    (await cluster.client.find<Pod>(resourceRefs.pods, inDefault(name)))?.spec.nodeName
  const untilBound = (name: string): Promise<string> => until(`${name} to be bound`, () => nodeOf(name))
  const setBenches = (node: string, units: string): Promise<Node> => {
    const amounts = { [BENCH]: units }
    return cluster.client.patchNodeStatus(
      node,
      { status: { capacity: amounts, allocatable: amounts } },
      { fieldManager: 'e2e' },
    )
  }
  const untilScheduled = (name: string, status: string): Promise<true> =>
    until(`PodGroupScheduled=${status} of ${name}`, async () => {
      const group = await cluster.client.get<
        KubernetesObject & { status?: { conditions?: readonly { readonly type: string; readonly status: string }[] } }
      >(podGroups, inDefault(name))
      const condition = group.status?.conditions?.find(({ type }) => type === 'PodGroupScheduled')
      return condition?.status === status ? true : undefined
    })

  beforeAll(async () => {
    parts.defer(() => rmSync(dir, { recursive: true }))
    const policy = write(
      'audit-policy.yaml',
      JSON.stringify({
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        omitStages: ['RequestReceived', 'ResponseStarted'],
        rules: [{ level: 'Metadata', users: [SCHEDULER_USER] }, { level: 'None' }],
      }),
    )
    const flags = [
      ...(hasGangs ? [GATES, '--runtime-config=scheduling.k8s.io/v1alpha2=true'] : []),
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${auditLog}`,
    ]
    server = parts.use(await startRealApiServer({ flags }))
    const amounts = { cpu: '4', memory: '8Gi', pods: '100' }
    const node = (i: number): unknown => {
      const labels = { 'kubernetes.io/hostname': `node-${i}` }
      const stored: Node = {
        metadata: { name: `node-${i}`, labels },
        status: { capacity: amounts, allocatable: amounts },
      }
      return toStoredObject('Node', stored)
    }
    await server.seed([1, 2].map((i) => [`minions/node-${i}`, node(i)] as const))
    cluster = parts.use(connectQuietly({ access: server.access() }))
    kubeconfig = write('scheduler.conf', server.kubeconfig('scheduler'))
  })

  afterAll(() => parts.disposeAsync())

  /** Creates a gang of three on two benches, and a third bench once the scheduler has refused it. Returns the nodes at both times. */
  const placeGang = async (gang: string): Promise<object> => {
    await setBenches('node-1', '2')
    await setBenches('node-2', '0')
    const members = [1, 2, 3].map((i) => `${gang}-${i}`)
    await create(podGroups, { metadata: inDefault(gang), spec: { schedulingPolicy: { gang: { minCount: 3 } } } })
    for (const name of members) await createPod(name, { schedulingGroup: { podGroupName: gang } })
    await untilScheduled(gang, 'False')
    const refused = await Promise.all(members.map(nodeOf))
    await setBenches('node-2', '1')
    const placed = await Promise.all(members.map(untilBound))
    await untilScheduled(gang, 'True')
    await deletePods(members)
    return { refused, placed: placed.toSorted() }
  }
  const asWhole = { refused: [undefined, undefined, undefined], placed: ['node-1', 'node-1', 'node-2'] }

  test('kube-scheduler places a gang as a whole once it fits, and none of it before', async () => {
    const program = join(realApiServerBinaries() ?? '', 'kube-scheduler')
    const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', GATES]
    const scheduler = startServerProcess(program, flags, join(dir, 'kube-scheduler.log'))
    try {
      expect(await placeGang('upstream')).toEqual(asWhole)
    } finally {
      await scheduler.stop()
    }
  })

  describe('Berth', () => {
    let running: RunningProgram

    beforeAll(() => {
      const program = write('kube-scheduler', `import ${JSON.stringify(main)}\n`)
      running = startProgram(program, [
        `--kubeconfig=${kubeconfig}`,
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
        '--leader-elect=true',
        '--bind-address=127.0.0.1',
        '--secure-port=0',
      ])
    })

    afterAll(async () => {
      running.child.kill('SIGTERM')
      await running.ended
    })

    test('places a gang as a whole once it fits, and none of it before', async () => {
      expect(await placeGang('ours')).toEqual(asWhole)
    })

    test('preempts a pod of lower priority', async () => {
      await setBenches('node-2', '0')
      await setBenches('node-1', '1')
      await create(priorityClasses, { metadata: { name: 'urgent' }, value: 1_000 })
      await createPod('meek', {})
      await untilBound('meek')
      await createPod('urgent', { priorityClassName: 'urgent' })
      await untilBound('urgent')
      expect(await nodeOf('meek')).toBeUndefined()
    })

    test('binds the volume of a claim that waits for its first consumer', async () => {
      await setBenches('node-2', '1')
      const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-2'] }]
      const storageClassName = 'late'
      await create(storageClasses, {
        metadata: { name: storageClassName },
        provisioner: 'kubernetes.io/no-provisioner',
        volumeBindingMode: 'WaitForFirstConsumer',
      })
      const accessModes = ['ReadWriteOnce']
      const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } }
      const local = { path: '/x' }
      await create(volumes, {
        metadata: { name: 'disk' },
        spec: { capacity: storage, accessModes, storageClassName, local, nodeAffinity },
      })
      await cluster.client.patch(
        volumes,
        { name: 'disk' },
        { status: { phase: 'Available' } },
        {
          type: 'merge',
          subresource: 'status',
        },
      )
      await create(claims, {
        metadata: inDefault('claim'),
        spec: { accessModes, storageClassName, resources: { requests: storage } },
      })
      await createPod('consumer', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }] })
      await until('the volume to name its claim', async () => {
        const { spec } = await cluster.client.get<KubernetesObject & { spec: { claimRef?: object } }>(volumes, {
          name: 'disk',
        })
        return spec.claimRef
      })
      // What the volume controller does. It does not run here.
      await cluster.client.patch(
        claims,
        inDefault('claim'),
        { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }, spec: { volumeName: 'disk' } },
        { type: 'merge' },
      )
      await cluster.client.patch(
        claims,
        inDefault('claim'),
        { status: { phase: 'Bound' } },
        {
          type: 'merge',
          subresource: 'status',
        },
      )
      expect(await untilBound('consumer')).toBe('node-2')
    })

    test('had no request refused', async () => {
      const requests = () =>
        parseAuditLog(readFileSync(auditLog, 'utf8')).filter(({ userAgent }) =>
          userAgent?.startsWith('berth-scheduler'),
        )
      const actions = () =>
        new Set(
          requests().map(({ verb, objectRef = {}, requestURI }) => {
            const path = [objectRef.apiGroup, objectRef.resource, objectRef.subresource].filter(Boolean).join('/')
            return `${verb} ${path === '' ? requestURI : path}`
          }),
        )
      const caused = [
        'create events.k8s.io/events',
        'create pods/binding',
        'delete pods',
        'patch persistentvolumes',
        'patch pods/status',
        ...(hasGangs ? ['patch scheduling.k8s.io/podgroups/status'] : []),
        'update coordination.k8s.io/leases',
      ]
      await until(`requests of Berth: ${caused.join(', ')}`, () => {
        const seen = actions()
        return Promise.resolve(caused.every((action) => seen.has(action)) ? true : undefined)
      })
      const refused = requests().filter(({ responseStatus }) => [401, 403].includes(responseStatus?.code ?? 0))
      expect(refused.map(({ requestURI }) => requestURI)).toEqual([])
    })
  })
})
