import { systemClock } from '@berth/clock'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { silentLogger, type ApiHandler } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, resourceRefs } from '../src/index.ts'

const CHUNK_BYTES = 64 * 1024

/** About 3.5 KB, the size of a usual pod with managedFields. */
const template = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'NAME',
    namespace: 'default',
    uid: 'NAME',
    resourceVersion: '10',
    managedFields: [{ manager: 'kubelet', operation: 'Update', fieldsV1: { filler: 'f'.repeat(1_800) } }],
  },
  spec: {
    nodeName: 'node-1',
    containers: Array.from({ length: 2 }, (_, i) => ({
      name: `c${i}`,
      image: 'registry.example.com/app:1',
      env: Array.from({ length: 10 }, (_, j) => ({ name: `VARIABLE_${j}`, value: 'some value' })),
      resources: { requests: { cpu: '500m', memory: '1Gi', 'example.com/dongle': '1' } },
    })),
  },
})
const [head = '', middle = '', tail = ''] = template.split('NAME')
const podText = (i: number): string => `${head}pod-${i}${middle}pod-${i}${tail}`

function* packed(texts: Iterable<string>): Generator<Uint8Array> {
  let held: string[] = []
  let bytes = 0
  for (const text of texts) {
    held.push(text)
    bytes += text.length
    if (bytes < CHUNK_BYTES) continue
    yield Buffer.from(held.join(''))
    held = []
    bytes = 0
  }
  yield Buffer.from(held.join(''))
}

function* listTexts(pods: number): Generator<string> {
  yield '{"kind":"PodList","metadata":{"resourceVersion":"10"},"items":['
  for (let i = 0; i < pods; i++) yield i === 0 ? podText(i) : `,${podText(i)}`
  yield ']}'
}

function* watchTexts(pods: number): Generator<string> {
  for (let i = 0; i < pods; i++) yield `{"type":"ADDED","object":${podText(i)}}\n`
  yield '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"10","annotations":{"k8s.io/initial-events-end":"true"}}}}\n'
}

/** A server that sends everything at once, without any wait: the worst case for the reader. */
const serving = (pods: number, hasWatchList: boolean): ApiHandler => {
  const body = async function* (texts: Iterable<string>): AsyncGenerator<Uint8Array> {
    yield* packed(texts)
  }
  return async ({ path, signal }) => {
    const isInitial = path.includes('sendInitialEvents')
    if (isInitial && !hasWatchList) return { status: 422, headers: {}, body: body(['{}']) }
    if (isInitial) return { status: 200, headers: {}, body: body(watchTexts(pods)) }
    if (!path.includes('watch=1')) return { status: 200, headers: {}, body: body(listTexts(pods)) }
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
  }
}

describe('a large collection', () => {
  test.for([
    { it: '50,000 pods by WatchList', pods: 50_000, hasWatchList: true, isLarge: false },
    { it: '50,000 pods by one LIST, as requested', pods: 50_000, hasWatchList: true, isLarge: true },
    {
      it: '20,000 pods by one LIST whose server ignores the page size',
      pods: 20_000,
      hasWatchList: false,
      isLarge: false,
    },
  ])(
    '$it: no turn of the event loop computes for 50 ms, and objects are projected',
    async ({ pods, hasWatchList, isLarge }) => {
      const handler = serving(pods, hasWatchList)
      await using cluster = connectCluster({
        handler,
        log: silentLogger,
        clock: systemClock(),
        random: () => 0.5,
        userAgent: 'test',
        qps: 0,
      })
      const reflector = cluster.reflect(resourceRefs.pods, {
        isLarge,
        project: ({ metadata }) => ({ metadata: { name: metadata?.name ?? '' } }),
      })
      let added = 0
      reflector.subscribe({ onAdd: () => (added += 1) })
      // CPU time of this thread, so that the load of the machine does not count.
      const turnsMs: number[] = []
      let before = process.threadCpuUsage()
      while (!reflector.hasSynced()) {
        await nextTurn()
        const { user, system } = process.threadCpuUsage(before)
        turnsMs.push((user + system) / 1_000)
        before = process.threadCpuUsage()
      }
      expect(added).toBe(pods)
      expect(reflector.stats()).toMatchObject({ watchLists: hasWatchList && !isLarge ? 1 : 0 })
      expect(reflector.store.get(`default/pod-${pods - 1}`)).toEqual({ metadata: { name: `pod-${pods - 1}` } })
      expect(Math.max(...turnsMs)).toBeLessThan(50)
      expect(turnsMs.length).toBeGreaterThan(100)
    },
  )
})
