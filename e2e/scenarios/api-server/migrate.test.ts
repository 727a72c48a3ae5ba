import { systemClock } from '@berth/clock'
import { connectCluster, resourceRefs, type Cluster, type ResourceRef } from '@berth/k8s-client'
import { startProgram } from '@berth/process/testing'
import { eventually } from '@berth/testing'
import { silentLogger, type KubernetesObject, type Node, type Pod } from '@berth/types'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { toStoredObject } from '../../real-api-server/large-cluster.ts'
import { startRealApiServer, type RealApiServer } from '../../real-api-server/real-api-server.ts'
import { startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'

const DONGLE = 'example.com/dongle'
const CLASS = 'dongle.example.com'
const main = join(import.meta.dirname, '../../../apps/advertiser/src/main.ts')

const dra = (plural: string, kind: string, namespaced: boolean): ResourceRef => ({
  group: 'resource.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const refs: Readonly<Record<string, ResourceRef>> = {
  DeviceClass: dra('deviceclasses', 'DeviceClass', false),
  ResourceSlice: dra('resourceslices', 'ResourceSlice', false),
}
const claims = dra('resourceclaims', 'ResourceClaim', true)

interface Claim extends KubernetesObject {
  readonly spec?: unknown
  readonly status?: {
    readonly allocation?: {
      readonly devices?: {
        readonly results?: readonly { readonly driver: string; readonly pool: string; readonly device: string }[]
      }
    }
  }
}

describe('the objects of `advertiser migrate` on a real kube-apiserver with kube-scheduler', () => {
  const parts = new AsyncDisposableStack()
  let server: RealApiServer
  let cluster: Cluster
  let printed = ''

  const inDefault = (name: string) => ({ namespace: 'default', name })
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: 60_000, signal: new AbortController().signal })
  const allocatedBy = async (look: (claim: Claim) => boolean): Promise<readonly string[] | undefined> => {
    const { items } = await cluster.client.list<Claim>(claims, { namespace: 'default' })
    const results = items.find((claim) => look(claim))?.status?.allocation?.devices?.results
    return results?.map(({ driver, pool, device }) => `${driver} ${pool} ${device}`)
  }
  const createPod = async (name: string, spec: object, container: object = {}): Promise<void> => {
    const containers = [{ name: 'main', image: 'none', ...container }]
    const pod = { metadata: inDefault(name), spec: { terminationGracePeriodSeconds: 0, containers, ...spec } }
    await cluster.client.create<Pod>(resourceRefs.pods, pod)
  }
  const untilBound = (name: string): Promise<string> =>
    until(
      `${name} to be bound`,
      async () => (await cluster.client.find<Pod>(resourceRefs.pods, inDefault(name)))?.spec.nodeName,
    )

  beforeAll(async () => {
    server = parts.use(await startRealApiServer())
    const amounts = { cpu: '4', memory: '8Gi', pods: '100' }
    await server.seed(
      ['node-1', 'node-2'].map((name) => {
        const stored: Node = { metadata: { name }, status: { capacity: amounts, allocatable: amounts } }
        return [`minions/${name}`, toStoredObject('Node', stored)]
      }),
    )
    const world = { clock: systemClock(), random: Math.random, log: silentLogger }
    cluster = parts.use(connectCluster({ access: server.access(), ...world, qps: 0, userAgent: 'e2e/1' }))
    const kubeconfig = join(server.dir, 'admin.kubeconfig')
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
    const file = join(server.dir, 'advertiser.yaml')
    writeFileSync(file, stringify({ resources: [{ name: DONGLE, units: 2, nodes: { names: ['node-2'] } }] }))
    const { code, stdout, stderr } = await startProgram(main, ['migrate', '--config', file, '--kubeconfig', kubeconfig])
      .ended
    if (code !== 0) throw new Error(`migrate ended with ${code}: ${stderr}`)
    printed = stdout
    const config = { podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 2 }
    const scheduler = startKubeScheduler({ dir: server.dir, kubeconfig: server.kubeconfig(), config })
    parts.defer(() => scheduler.kill())
  })
  afterAll(() => parts.disposeAsync())

  test('the command says that pods start only with a DRA driver', () => {
    expect(printed).toContain('# Pods start only with a DRA driver')
  })

  test('the API server accepts them', async () => {
    const objects = parseAllDocuments(printed).map((document) => document.toJS() as KubernetesObject | null)
    const kinds: string[] = []
    for (const object of objects) {
      const ref = refs[object?.kind ?? '']
      if (object === null || ref === undefined) throw new Error(`an unexpected document: ${JSON.stringify(object)}`)
      await cluster.client.create(ref, object)
      kinds.push(ref.kind)
    }
    expect(kinds).toEqual(['DeviceClass', 'ResourceSlice'])
  })

  test('kube-scheduler allocates a claim for the DeviceClass', async () => {
    const spec = { devices: { requests: [{ name: 'one', exactly: { deviceClassName: CLASS } }] } }
    await cluster.client.create<Claim>(claims, { metadata: inDefault('by-class'), spec })
    const resources = { claims: [{ name: 'device' }] }
    await createPod('by-class', { resourceClaims: [{ name: 'device', resourceClaimName: 'by-class' }] }, { resources })
    expect(await untilBound('by-class')).toBe('node-2')
    const allocated = await until('an allocation', () => allocatedBy(({ metadata }) => metadata?.name === 'by-class'))
    expect(allocated).toEqual([expect.stringMatching(/^example\.com node-2\/dongle\.example\.com unit-[01]$/)])
  })

  test('kube-scheduler allocates a claim for a pod that still requests the extended resource', async () => {
    await createPod('by-name', {}, { resources: { limits: { [DONGLE]: '1' } } })
    expect(await untilBound('by-name')).toBe('node-2')
    const ofPod = ({ metadata }: Claim): boolean =>
      metadata?.annotations?.['resource.kubernetes.io/extended-resource-claim'] === 'true'
    const allocated = await until('an allocation', () => allocatedBy(ofPod))
    expect(allocated).toEqual([expect.stringMatching(/^example\.com node-2\/dongle\.example\.com unit-[01]$/)])
  })
})
