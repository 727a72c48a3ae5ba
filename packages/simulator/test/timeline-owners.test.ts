import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { callJson } from '@berth/embedded-api-server/testing'
import { expect, test } from 'vitest'
import { startEmbeddedCluster, type EmbeddedCluster } from '../src/index.ts'
import { parseTimeline } from '../src/timeline/parse-timeline.ts'
import { replayTimeline, type ReplayResult } from '../src/timeline/replay-timeline.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const reference = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: `recorded-${name}`,
  ...more,
})

interface Replaying {
  readonly cluster: EmbeddedCluster
  readonly clock: FakeClock
  readonly replay: (...writes: readonly object[]) => Promise<ReplayResult>
  /** Returns the metadata of a ConfigMap; undefined when it is gone. */
  readonly metadata: (name: string) => Promise<{ readonly uid: string; readonly ownerReferences?: unknown } | undefined>
}

async function start(): Promise<Replaying & AsyncDisposable> {
  const clock = fakeClock()
  const cluster = await startEmbeddedCluster({ nodes: 0, clock, random: Math.random, serve: false })
  return {
    cluster,
    clock,
    async replay(...writes) {
      const parsed = await parseTimeline(writes.map((each) => JSON.stringify(each)))
      return await replayTimeline(parsed, {
        handle: cluster.handle,
        clock,
        speed: 1,
        stop: new AbortController().signal,
      })
    },
    async metadata(name) {
      const { status, body } = await callJson(cluster.handle, 'GET', `${MAPS}/${name}`)
      return status === 200 ? (body as { readonly metadata: never }).metadata : undefined
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

function write(verb: string, name: string, requestObject: unknown): object {
  return {
    verb,
    requestURI: verb === 'create' ? MAPS : `${MAPS}/${name}`,
    requestReceivedTimestamp: '2026-01-01T00:00:00Z',
    user: { username: 'operator' },
    objectRef: { resource: 'configmaps', namespace: 'default', name },
    requestObject,
  }
}

function created(name: string, ownerReferences: readonly object[] = []): object {
  return write('create', name, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } })
}

test('a replayed object belongs to the replayed owner, stays, and is collected with it', async () => {
  await using cluster = await start()
  const { clock, metadata, replay } = cluster
  expect(await replay(created('owner'), created('owned', [reference('owner')]))).toEqual({
    written: 2,
    refused: [],
    withoutOwner: 0,
  })
  const owner = await metadata('owner')
  expect((await metadata('owned'))?.ownerReferences).toEqual([reference('owner', { uid: owner?.uid })])
  await clock.advance(300_000)
  expect(await metadata('owned')).toBeDefined()
  await replay(write('delete', 'owner', undefined))
  await clock.advance(300_000)
  expect(await metadata('owned')).toBeUndefined()
})

test.for([
  ['a merge patch', { metadata: { uid: 'recorded', ownerReferences: [reference('owner')] } }],
  ['a JSON patch of the list', [{ op: 'add', path: '/metadata/ownerReferences', value: [reference('owner')] }]],
  [
    'a JSON patch of one owner',
    [
      { op: 'add', path: '/metadata/ownerReferences', value: [] },
      { op: 'add', path: '/metadata/ownerReferences/-', value: reference('owner') },
    ],
  ],
] as const)('%s makes an object belong to the replayed owner', async ([, patch]) => {
  await using cluster = await start()
  const { metadata, replay } = cluster
  const result = await replay(created('owner'), created('owned'), write('patch', 'owned', patch))
  expect(result).toMatchObject({ refused: [] })
  const owner = await metadata('owner')
  expect((await metadata('owned'))?.ownerReferences).toEqual([reference('owner', { uid: owner?.uid })])
})

test('a patch that removes an owner by its recorded uid removes the replayed one', async () => {
  await using cluster = await start()
  const { metadata, replay } = cluster
  const removal = { metadata: { ownerReferences: [{ $patch: 'delete', uid: 'recorded-owner' }] } }
  await replay(created('owner'), created('owned', [reference('owner')]), write('patch', 'owned', removal))
  expect((await metadata('owned'))?.ownerReferences ?? []).toEqual([])
})

test('an owner that the cluster does not have is left out and counted, and the object stays', async () => {
  await using cluster = await start()
  const { clock, metadata, replay } = cluster
  const unserved = reference('thing', { apiVersion: 'example.com/v1', kind: 'Thing' })
  const result = await replay(created('owned', [reference('missing'), unserved]))
  expect(result).toEqual({ written: 1, refused: [], withoutOwner: 2 })
  await clock.advance(300_000)
  expect((await metadata('owned'))?.ownerReferences ?? []).toEqual([])
})
