import { fakeClock } from '@berth/clock/testing'
import { connectCluster } from '@berth/k8s-client'
import { silentLogger, type ApiHandler, type ApiRequest } from '@berth/types'
import { expect, test } from 'vitest'
import { snapshotCluster } from '../src/index.ts'
import { serveCluster } from './served-cluster.ts'

const refusal = (code: number): Awaited<ReturnType<ApiHandler>> => ({
  status: code,
  headers: { 'content-type': 'application/json' },
  body: (async function* () {
    yield new TextEncoder().encode(JSON.stringify({ kind: 'Status', status: 'Failure', code, message: 'no' }))
  })(),
})

function seed(refused: Readonly<Record<string, number>> = {}, onRequest: (request: ApiRequest) => void = () => {}) {
  const served = serveCluster()
  served.nodes.put({ metadata: { name: 'n1' }, status: { allocatable: { pods: '10' } } } as never)
  served.nodes.put({ metadata: { name: 'odd' }, status: { allocatable: { pods: 'ten' } } } as never)
  served.pods.put({ metadata: { name: 'a', namespace: 'x' }, spec: { nodeName: 'n1', containers: [] } } as never)
  served.pods.put({ metadata: { name: 'worse', namespace: 'x' } })
  served.pods.put({
    metadata: { name: 'w', namespace: 'x' },
    spec: { containers: [] },
    status: { nominatedNodeName: 'n1' },
  } as never)
  served.of('namespaces').put({ metadata: { name: 'x', labels: { tier: 'gold' } } })
  const handler: ApiHandler = async (request) => {
    onRequest(request)
    const code = refused[request.path.split('?')[0]?.split('/').at(-1) ?? '']
    return code === undefined ? served.handle(request) : refusal(code)
  }
  const world = { log: silentLogger, clock: fakeClock(), random: () => 0.5, qps: 0, userAgent: 'test' }
  return { served, client: connectCluster({ handler, ...world }).client }
}

test('reads the state that a scheduler would see, once', async () => {
  const { served, client } = seed()
  const { state, nodes, unreadable, forbidden } = await snapshotCluster(client)
  expect(state.nodeNames()).toEqual(['n1'])
  expect([...nodes.keys()]).toEqual(['n1'])
  expect([...state.pods()].map(({ metadata }) => metadata.name)).toEqual(['a'])
  expect(state.nominatedPods('n1').map(({ metadata }) => metadata.name)).toEqual(['w'])
  expect(state.objects.get('namespaces', 'x')?.metadata.labels).toEqual({ tier: 'gold' })
  expect(unreadable).toEqual(['nodes odd', 'pods x/worse'])
  expect(forbidden).toEqual([])
  expect([...served.all()].flatMap(({ requests }) => requests).filter(({ path }) => path.includes('watch='))).toEqual(
    [],
  )
})

test('names the kinds that may not be listed, and treats kinds that the server does not serve as empty', async () => {
  const { client } = seed({ namespaces: 403, csinodes: 403, volumeattachments: 404 })
  const { state, forbidden } = await snapshotCluster(client)
  expect(forbidden).toEqual(['csinodes', 'namespaces'])
  expect(state.objects.list('namespaces')).toEqual([])
})

test('reads only the requested kinds', async () => {
  const { served, client } = seed({ namespaces: 403 })
  const { forbidden } = await snapshotCluster(client, { kinds: [] })
  expect(forbidden).toEqual([])
  expect([...served.all()].filter(({ requests }) => requests.length > 0)).toHaveLength(2)
})

test('reads the named ConfigMaps only, and names them when they may not be listed', async () => {
  const { served, client } = seed()
  served.of('configmaps').put({ metadata: { name: 'limits', namespace: 'ops' }, data: { red: '4' } } as never)
  const { state } = await snapshotCluster(client, { configMaps: ['ops/limits'] })
  expect(state.objects.get('configMaps', 'ops/limits')?.data).toEqual({ red: '4' })
  expect(served.of('configmaps').requests.map(({ path }) => path.split('&')[0])).toEqual([
    expect.stringMatching(/^\/api\/v1\/namespaces\/ops\/configmaps\?fieldSelector=metadata.name%3Dlimits/),
  ])
  const refused = await snapshotCluster(seed({ configmaps: 403 }).client, { configMaps: ['ops/limits', 'ops/more'] })
  expect(refused.forbidden).toEqual(['configmaps'])
  const absent = seed()
  await snapshotCluster(absent.client)
  expect(absent.served.of('configmaps').requests).toEqual([])
})

test.for(['nodes', 'pods'])('rejects when %s may not be listed', async (plural) => {
  await expect(snapshotCluster(seed({ [plural]: 403 }).client)).rejects.toMatchObject({ status: 403 })
})

test('rejects when the signal aborts', async () => {
  const { client } = seed()
  const signal = AbortSignal.abort(new Error('stopped'))
  await expect(snapshotCluster(client, { signal })).rejects.toThrow('stopped')
})

test('lists a forbidden type once when there is no namespace to fall back to', async () => {
  const paths: string[] = []
  const { client } = seed({ pods: 403 }, ({ path }) => void paths.push(path))
  const { forbidden } = await snapshotCluster(client, { kinds: [], fallbackNamespace: '' })
  expect(forbidden).toEqual(['pods'])
  expect(paths.filter((path) => path.startsWith('/api/v1/pods'))).toHaveLength(1)
})
