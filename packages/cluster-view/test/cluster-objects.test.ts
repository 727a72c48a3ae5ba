import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { connectCluster } from '@berth/k8s-client'
import { silentLogger, type ApiHandler, type LogFields, type Logger, type Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { startClusterView, type ClusterView } from '../src/index.ts'
import { serveCluster, type ServedCluster } from './served-cluster.ts'

interface Bed {
  readonly clock: FakeClock
  readonly served: ServedCluster
  readonly view: ClusterView
  readonly changes: string[]
  readonly lines: { readonly fields: LogFields; readonly message: string }[]
}

async function start(
  served: ServedCluster,
  intercept: (handle: ApiHandler) => ApiHandler = (handle) => handle,
  configMaps: readonly string[] = [],
) {
  const clock = fakeClock()
  const lines: Bed['lines'] = []
  const record = (fields: LogFields, message: string): void => void lines.push({ fields, message })
  const log: Logger = { ...silentLogger, warn: record, error: record }
  const handler = intercept(served.handle)
  const cluster = connectCluster({ handler, log, clock, random: () => 0.5, qps: 0, userAgent: 'test' })
  const view = startClusterView({ cluster, log, clock, configMaps })
  const changes: string[] = []
  view.subscribe((change) => {
    if ('resource' in change) changes.push(`${change.kind} ${change.resource} ${change.object.metadata.name}`)
  })
  await clock.settle()
  return { clock, served, view, changes, lines } satisfies Bed
}

const forbidding =
  (plural: string, isForbidden: () => boolean) =>
  (handle: ApiHandler): ApiHandler =>
  async (request) => {
    if (!isForbidden() || !request.path.split('?')[0]?.endsWith(`/${plural}`)) return handle(request)
    const message = `${plural} is forbidden`
    const status = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message }
    return { status: 403, headers: { 'content-type': 'application/json' }, body: bytes(JSON.stringify(status)) }
  }

async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text)
}

test('mirrors every kind that decisions depend on, without the fields that they do not read', async () => {
  const served = serveCluster()
  served.of('namespaces').put({ metadata: { name: 'team', labels: { tier: 'gold' }, annotations: { a: 'dropped' } } })
  served.of('services').put({
    metadata: { name: 'web', namespace: 'team' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  } as never)
  served.of('replicasets').put({
    metadata: { name: 'web-1', namespace: 'team' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: { spec: {} } },
    status: { replicas: 3 },
  } as never)
  served.of('persistentvolumes').put({
    metadata: { name: 'pv-1', managedFields: [{}] },
    spec: {
      capacity: { storage: '1Gi' },
      csi: { driver: 'disk.example.com', volumeHandle: 'h', volumeAttributes: { much: 'x' } },
      futureSource: { id: 1 },
    },
    status: { phase: 'Bound', message: 'dropped' },
  } as never)
  served.of('volumeattachments').put({
    metadata: { name: 'va' },
    spec: { attacher: 'disk.example.com', nodeName: 'n1', source: { persistentVolumeName: 'pv-1' } },
    status: { attached: true, attachmentMetadata: { path: '/dev/x' } },
  } as never)
  served.of('poddisruptionbudgets').put({
    metadata: { name: 'db', namespace: 'team' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
    status: { disruptionsAllowed: 0, currentHealthy: 1, expectedPods: 1 },
  } as never)
  const { view } = await start(served)
  expect(view.isSynced()).toBe(true)
  const { objects } = view.state
  expect(objects.list('namespaces')).toEqual([{ metadata: { name: 'team', labels: { tier: 'gold' } } }])
  expect(objects.get('services', 'team/web')).toEqual({
    metadata: { name: 'web', namespace: 'team' },
    spec: { selector: { app: 'web' } },
  })
  expect(objects.get('replicaSets', 'team/web-1')).toEqual({
    metadata: { name: 'web-1', namespace: 'team' },
    spec: { selector: { matchLabels: { app: 'web' } } },
  })
  expect(objects.get('persistentVolumes', 'pv-1')).toEqual({
    metadata: { name: 'pv-1', resourceVersion: '101' },
    spec: {
      capacity: { storage: '1Gi' },
      csi: { driver: 'disk.example.com', volumeHandle: 'h' },
      futureSource: { id: 1 },
    },
    status: { phase: 'Bound' },
  })
  expect(objects.get('volumeAttachments', 'va')).toEqual({
    metadata: { name: 'va' },
    spec: { attacher: 'disk.example.com', nodeName: 'n1', source: { persistentVolumeName: 'pv-1' } },
    status: { attached: true },
  })
  expect(objects.get('podDisruptionBudgets', 'team/db')).toEqual({
    metadata: { name: 'db', namespace: 'team' },
    spec: { selector: { matchLabels: { app: 'db' } } },
    status: { disruptionsAllowed: 0 },
  })
  await view[Symbol.asyncDispose]()
})

test('notifies listeners of changes, but not of changes of dropped fields', async () => {
  const served = serveCluster()
  const { clock, view, changes } = await start(served)
  const namespaces = served.of('namespaces')
  namespaces.put({ metadata: { name: 'team' } })
  namespaces.put({ metadata: { name: 'team', annotations: { note: 'of no matter' } } })
  namespaces.put({ metadata: { name: 'team', labels: { tier: 'gold' } } })
  await clock.settle()
  expect(view.state.objects.get('namespaces', 'team')?.metadata.labels).toEqual({ tier: 'gold' })
  namespaces.remove('team')
  await clock.settle()
  expect(view.state.objects.list('namespaces')).toEqual([])
  expect(changes).toEqual([
    'object-added namespaces team',
    'object-updated namespaces team',
    'object-deleted namespaces team',
  ])
  await view[Symbol.asyncDispose]()
})

test('skips, counts and logs an object that cannot be read', async () => {
  const served = serveCluster()
  const claims = served.of('persistentvolumeclaims')
  const claim = (name: string, storage: string) =>
    claims.put({ metadata: { name, namespace: 'team' }, spec: { resources: { requests: { storage } } } } as never)
  claim('good', '1Gi')
  claim('bad', 'plenty')
  served.of('persistentvolumes').put({ metadata: { name: 'hollow' } })
  const { view, lines } = await start(served)
  expect(view.isSynced()).toBe(true)
  expect(view.state.objects.list('persistentVolumeClaims').map(({ metadata }) => metadata.name)).toEqual(['good'])
  expect(view.state.objects.list('persistentVolumes')).toEqual([])
  expect(view.stats().objects.get('persistentVolumeClaims')?.undecodable).toBe(1)
  expect(lines.map(({ fields, message }) => `${message}: ${String(fields['object'])}`).toSorted()).toEqual([
    'Skipped an object that cannot be read: hollow',
    'Skipped an object that cannot be read: team/bad',
  ])
  await view[Symbol.asyncDispose]()
})

test('is not synced while one resource may not be read, and names the missing permission in one line', async () => {
  const served = serveCluster()
  let isForbidden = true
  const bed = await start(
    served,
    forbidding('storageclasses', () => isForbidden),
  )
  const { clock, view, lines } = bed
  await clock.advance(60_000)
  expect(view.isSynced()).toBe(false)
  const missing =
    'watch storageclasses: storageclasses is forbidden (403) ' +
    'Grant the verb "watch" on the resource "storageclasses" (API group storage.k8s.io) to this identity.'
  expect(view.notReady()).toBe(`the cluster cannot be read: ${missing}`)
  expect(lines).toHaveLength(1)
  expect(lines[0]?.fields['err']).toMatchObject({
    message: 'watch storageclasses: storageclasses is forbidden (403)',
    hint: expect.stringContaining('Grant the verb "watch" on the resource "storageclasses"') as string,
  })
  isForbidden = false
  for (let minute = 0; minute < 2; minute++) {
    await clock.advance(30_000)
    for (const server of served.all()) server.bookmark()
  }
  await view.waitForSync()
  await clock.settle()
  expect(view.notReady()).toBeUndefined()
  await view[Symbol.asyncDispose]()
})

test('becomes stale when a permission is revoked, and reports why', async () => {
  const served = serveCluster()
  let isForbidden = false
  const { clock, view } = await start(
    served,
    forbidding('namespaces', () => isForbidden),
  )
  expect(view.isSynced()).toBe(true)
  isForbidden = true
  served.of('namespaces').endWatches()
  for (let minute = 0; minute < 4; minute++) {
    await clock.advance(60_000)
    for (const server of served.all()) server.bookmark()
    await clock.settle()
  }
  expect(view.isSynced()).toBe(false)
  expect(view.notReady()).toMatch(
    /^the cached state of namespaces is 2\d\d s old: watch namespaces: .*Grant the verb "watch"/,
  )
  await view[Symbol.asyncDispose]()
})

test('names the resources that are still being read', async () => {
  const served = serveCluster()
  const { view } = await start(
    served,
    (handle) => (request) => (request.path.includes('/csinodes') ? new Promise(() => undefined) : handle(request)),
  )
  expect(view.notReady()).toBe('the cluster has not been read yet: csinodes')
  await view[Symbol.asyncDispose]()
})

test('keeps a nomination of this process when an update from before the status was written arrives', async () => {
  const served = serveCluster()
  const waiting = (
    labels: Record<string, string>,
    nominatedNodeName?: string,
  ): Pod & { metadata: { name: string } } => ({
    metadata: { name: 'p', namespace: 'default', uid: 'u', labels },
    spec: { containers: [] },
    status: nominatedNodeName === undefined ? {} : { nominatedNodeName },
  })
  const { clock, view } = await start(served)
  served.pods.put(waiting({}))
  await clock.settle()
  view.nominate(waiting({}), 'n1')
  served.pods.put(waiting({ late: 'news' }))
  await clock.settle()
  expect(view.nominatedNode(waiting({}))).toBe('n1')
  expect(view.state.nominatedPods('n1').map(({ metadata }) => metadata.labels)).toEqual([{ late: 'news' }])
  served.pods.put(waiting({}, 'n1'))
  served.pods.put(waiting({}))
  await clock.settle()
  expect(view.nominatedNode(waiting({}))).toBeUndefined()
  expect(view.state.nominatedPods('n1')).toEqual([])
  view.nominate(waiting({}), 'n2')
  view.clearNomination(waiting({}))
  expect(view.state.nominatedPods('n2')).toEqual([])
  view.nominate(waiting({}), 'n2')
  served.pods.remove('default/p')
  await clock.settle()
  expect(view.nominatedNode(waiting({}))).toBeUndefined()
  await view[Symbol.asyncDispose]()
})

test('mirrors device classes with the resource name that they back', async () => {
  const served = serveCluster()
  const creationTimestamp = '2026-01-01T00:00:00Z'
  served.of('deviceclasses').put({
    metadata: { name: 'gpus', creationTimestamp, labels: { a: 'dropped' } },
    spec: { extendedResourceName: 'example.com/gpu', selectors: [{ cel: { expression: 'true' } }] },
  } as never)
  const { view } = await start(served)
  expect(view.state.objects.list('deviceClasses')).toEqual([
    { metadata: { name: 'gpus', creationTimestamp }, spec: { extendedResourceName: 'example.com/gpu' } },
  ])
  await view[Symbol.asyncDispose]()
})

describe('ConfigMaps', () => {
  const limits = (units: string) => ({ metadata: { name: 'limits', namespace: 'ops' }, data: { red: units } }) as never

  test('are mirrored one by one, with requests that RBAC can limit to one name', async () => {
    const served = serveCluster()
    served.of('configmaps').put(limits('4'))
    const { clock, view, changes } = await start(served, undefined, ['ops/limits'])
    const { objects } = view.state
    expect(objects.get('configMaps', 'ops/limits')).toEqual({
      metadata: { name: 'limits', namespace: 'ops' },
      data: { red: '4' },
    })
    const { requests } = served.of('configmaps')
    expect(requests.length).toBeGreaterThan(0)
    for (const { path } of requests) {
      const url = new URL(path, 'http://localhost')
      expect(url.pathname).toBe('/api/v1/namespaces/ops/configmaps')
      expect(url.searchParams.get('fieldSelector')).toBe('metadata.name=limits')
    }
    served.of('configmaps').put(limits('5'))
    await clock.settle()
    expect(objects.get('configMaps', 'ops/limits')?.data).toEqual({ red: '5' })
    served.of('configmaps').remove('ops/limits')
    await clock.settle()
    expect(objects.get('configMaps', 'ops/limits')).toBeUndefined()
    expect(changes).toEqual([
      'object-added configMaps limits',
      'object-updated configMaps limits',
      'object-deleted configMaps limits',
    ])
    await view[Symbol.asyncDispose]()
  })

  test('are not read when no plugin reads any', async () => {
    const served = serveCluster()
    const { view } = await start(served)
    expect(view.isSynced()).toBe(true)
    expect(served.of('configmaps').requests).toEqual([])
    await view[Symbol.asyncDispose]()
  })

  test('keep the view from being ready while one may not be read, and the reason names the permission', async () => {
    const served = serveCluster()
    let isForbidden = true
    const intercept = forbidding('configmaps', () => isForbidden)
    const { clock, view } = await start(served, intercept, ['ops/limits'])
    await clock.advance(60_000)
    expect(view.isSynced()).toBe(false)
    expect(view.notReady()).toContain('configmaps is forbidden')
    isForbidden = false
    await clock.advance(60_000)
    expect(view.notReady()).toBeUndefined()
    await view[Symbol.asyncDispose]()
  })
})
