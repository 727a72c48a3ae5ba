import { silentLogger, type ApiRequest, type ApiResponse, type KubernetesObject } from '@berth/types'
import { expect, test } from 'vitest'
import { connectCluster, resourceRefs } from '../src/index.ts'
import { fakeClock, listWatchServer, scriptedHandler, type Fault, type ScriptedAnswer } from '../src/testing.ts'

type Answer = NonNullable<Fault['answer']>

const SEEDS = 200
const STEPS = 150

/** mulberry32: small, seeded, good enough to choose faults. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const status = (code: number, reason: string) => ({ kind: 'Status', code, reason, message: reason })
const answering =
  (answer: ScriptedAnswer) =>
  (request: ApiRequest): Promise<ApiResponse> =>
    scriptedHandler([{ answer }]).handle(request)
const refusing = (code: number, reason: string, headers = {}): Answer =>
  answering({ kind: 'json', status: code, body: status(code, reason), headers })
const errorFrame = (code: number, reason: string): Answer =>
  answering({
    kind: 'stream',
    chunks: [`${JSON.stringify({ type: 'ERROR', object: status(code, reason) })}\n`],
    ending: 'end',
  })

// Swaps neighbouring lines of what one chunk or two chunks hold.
async function* swapped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | undefined
  for await (const chunk of chunks) {
    if (held === undefined) held = chunk
    else {
      yield Buffer.concat([chunk, held])
      held = undefined
    }
  }
  if (held !== undefined) yield held
}

async function* doubled(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.concat([chunk, chunk])
}

// Cuts the stream inside of the n-th chunk, then breaks it, ends it or falls silent.
const cut = (after: number, ending: 'break' | 'end' | 'hang') =>
  async function* (chunks: AsyncIterable<Uint8Array>, request: ApiRequest): AsyncGenerator<Uint8Array> {
    let seen = 0
    for await (const chunk of chunks) {
      if (seen++ < after) yield chunk
      else {
        yield chunk.subarray(0, Math.floor(chunk.length / 2))
        break
      }
    }
    if (ending === 'break') throw new Error('read ECONNRESET')
    if (ending === 'hang')
      await new Promise((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason as Error)),
      )
  }

// Spoils one chunk; what follows looks fine.
const garbled = (index: number) =>
  async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let seen = 0
    for await (const chunk of chunks)
      yield seen++ === index ? encoder.encode(decoder.decode(chunk).replace('{', '{,')) : chunk
  }

async function* shredded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) for (let at = 0; at < chunk.length; at += 7) yield chunk.subarray(at, at + 7)
}

const isWatch = ({ path }: ApiRequest): boolean => path.includes('watch=1')

const faults: readonly ((random: () => number, request: ApiRequest) => Fault | undefined)[] = [
  () => ({ name: 'dropped reply', answer: () => Promise.reject(new Error('socket hang up')) }),
  () => ({ name: 'half-open', answer: answering({ kind: 'hang' }) }),
  () => ({ name: '410', answer: refusing(410, 'Expired') }),
  () => ({ name: '409', answer: refusing(409, 'Conflict') }),
  () => ({ name: '429', answer: refusing(429, 'TooManyRequests', { 'retry-after': '2' }) }),
  () => ({ name: '500', answer: refusing(500, 'InternalError') }),
  (_, request) => (isWatch(request) ? { name: '410 frame', answer: errorFrame(410, 'Expired') } : undefined),
  (_, request) => (isWatch(request) ? { name: '500 frame', answer: errorFrame(500, 'InternalError') } : undefined),
  (random) => ({ name: 'truncated, reset', body: cut(Math.floor(random() * 4), 'break') }),
  (random) => ({ name: 'truncated, end', body: cut(Math.floor(random() * 4), 'end') }),
  (random) => ({ name: 'truncated, silence', body: cut(Math.floor(random() * 4), 'hang') }),
  (random) => ({ name: 'no JSON', body: garbled(Math.floor(random() * 4)) }),
  () => ({ name: 'shredded chunks', body: shredded }),
  (_, request) => (isWatch(request) ? { name: 'duplicates', body: doubled } : undefined),
  (_, request) => (isWatch(request) ? { name: 'reordered', body: swapped } : undefined),
]

async function runSeed(seed: number, injected: Map<string, number>): Promise<void> {
  const random = seeded(seed)
  let isFaulty = true
  const server = listWatchServer({
    hasWatchList: random() < 0.6,
    fault(request) {
      if (!isFaulty || random() < 0.4) return undefined
      const fault = faults[Math.floor(random() * faults.length)]?.(random, request)
      if (fault !== undefined) injected.set(fault.name, (injected.get(fault.name) ?? 0) + 1)
      return fault
    },
  })
  const clock = fakeClock({ turns: 2 })
  await using cluster = connectCluster({
    handler: server.handle,
    log: silentLogger,
    clock,
    random,
    userAgent: 'test',
    qps: 0,
  })
  const reflector = cluster.reflect(resourceRefs.pods)
  const mirror = new Map<string, KubernetesObject>()
  const problems: string[] = []
  const keyOf = ({ metadata }: KubernetesObject): string => `${metadata?.namespace}/${metadata?.name}`
  reflector.subscribe({
    onAdd(object) {
      if (mirror.has(keyOf(object))) problems.push(`added twice: ${keyOf(object)}`)
      mirror.set(keyOf(object), object)
    },
    onUpdate(old, object) {
      if (mirror.get(keyOf(object)) !== old) problems.push(`wrong old object: ${keyOf(object)}`)
      mirror.set(keyOf(object), object)
    },
    onDelete(object) {
      if (!mirror.delete(keyOf(object))) problems.push(`deleted twice: ${keyOf(object)}`)
    },
  })

  for (let step = 0; step < STEPS; step++) {
    const name = `p${Math.floor(random() * 6)}`
    const dice = random()
    if (dice < 0.45)
      server.put({ metadata: { name, namespace: 'default', uid: `${name}-${Math.floor(random() * 3)}` } })
    else if (dice < 0.65) server.remove(`default/${name}`)
    else if (dice < 0.72) server.bookmark()
    else if (dice < 0.76) server.compact()
    else if (dice < 0.82) server.endWatches()
    else if (dice < 0.88) server.breakWatches()
    else await clock.advance(random() * 20_000)
    if (random() < 0.5) await clock.settle()
  }
  isFaulty = false
  // A stalled watch is noticed after three minutes; a backoff takes one at most.
  for (let minute = 0; minute < 6; minute++) await clock.advance(60_000)
  const versions = (objects: Iterable<KubernetesObject>): unknown =>
    [...objects]
      .map((object) => `${keyOf(object)} ${object.metadata?.uid} ${object.metadata?.resourceVersion}`)
      .toSorted()
  const wanted = versions(server.objects().values())
  expect(versions(reflector.store.values()), `store of seed ${seed}`).toEqual(wanted)
  expect(versions(mirror.values()), `what handlers were told, seed ${seed}`).toEqual(wanted)
  expect(problems, `seed ${seed}`).toEqual([])
  expect(reflector.hasSynced()).toBe(true)
}

test(`after random faults the store equals a fresh list (${SEEDS} seeds)`, { timeout: 120_000 }, async () => {
  const injected = new Map<string, number>()
  for (let seed = 1; seed <= SEEDS; seed++) await runSeed(seed, injected)
  const names = faults.map((fault) => fault(() => 0, { method: 'GET', path: '?watch=1', headers: {} })?.name ?? '')
  const report = names.map((name) => `${name}: ${injected.get(name) ?? 0}`)
  process.stdout.write(`Injected faults: ${report.join(', ')}\n`)
  for (const name of names) expect(injected.get(name), `faults of class "${name}"`).toBeGreaterThan(0)
})
