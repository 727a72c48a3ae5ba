import { fakeClock } from '@berth/clock/testing'
import type { ResourceReading } from '@berth/plugin-api'
import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { Declaration } from '../plan/declaration.ts'
import { sourceSchema, toSourceAmount } from './source-options.ts'
import { createSourceReadings } from './source-readings.ts'

type Answer = ResourceReading['units'] | Error | undefined

const node: Node = { metadata: { name: 'node-a' } }
const { signal } = new AbortController()

/** A store with one source under virtual time. `undefined` as the answer means that the source does not answer. */
function startSource(options: object, held = 0n) {
  const clock = fakeClock()
  const amount = toSourceAmount(sourceSchema.parse({ plugin: 'test', ...options }))
  const declaration: Declaration = {
    path: 'resources[0]',
    origin: { kind: 'file' },
    resourceName: 'example.com/dongle',
    nodes: { kind: 'selector', selector: {} },
    amount,
  }
  const failures: unknown[] = []
  const expired: string[] = []
  let answer: Answer
  let ageMs = 0
  const readings = createSourceReadings({
    sources: new Map([
      [
        declaration,
        {
          async compute() {
            if (answer === undefined) return new Promise<never>(() => {})
            if (answer instanceof Error) throw answer
            return { units: answer, observedAtMs: clock.now() - ageMs }
          },
        },
      ],
    ]),
    clock,
    readHeldUnits: async () => held,
    completeNode: async (node) => node,
    onFailure: (_, nodeName, error) => failures.push(`${nodeName} ${(error as Error).message}`),
    onExpired: (_, nodeName) => expired.push(nodeName),
  })
  return {
    clock,
    failures,
    expired,
    readings,
    declaration,
    read: () => readings.read(declaration, amount, 'node-a'),
    /** Queries the source and returns whether the amount changed. */
    async query(next: Answer, observedMsAgo = 0) {
      answer = next
      ageMs = observedMsAgo
      return (await readings.refresh(declaration, [node], signal)).has('node-a')
    },
  }
}

describe('a source', () => {
  test('gives rounded units within its bounds', async () => {
    const source = startSource({ min: 4, max: 20, step: 4, rounding: 'nearest' })
    expect(source.read()).toEqual({ kind: 'pending' })
    expect(await source.query(10.5)).toBe(true)
    expect(source.read()).toEqual({ kind: 'units', units: 12n })
    expect(await source.query(11)).toBe(false)
    expect(await source.query(1e6)).toBe(true)
    expect(source.read()).toEqual({ kind: 'units', units: 20n })
    await source.query(-3)
    expect(source.read()).toEqual({ kind: 'units', units: 4n })
  })

  test('that counts free units gets what running pods hold added', async () => {
    const source = startSource({ reading: 'free', max: 8 }, 3n)
    await source.query(2.5)
    expect(source.read()).toEqual({ kind: 'units', units: 5n })
    await source.query(7)
    expect(source.read()).toEqual({ kind: 'units', units: 8n })
    const total = startSource({}, 3n)
    await total.query(2)
    expect(total.read()).toEqual({ kind: 'units', units: 2n })
  })

  test('that does not answer within its deadline has failed', async () => {
    const source = startSource({ timeoutSeconds: 2.5 })
    const query = source.query(undefined)
    await source.clock.advance(2_499)
    expect(source.failures).toEqual([])
    await source.clock.advance(1)
    expect(await query).toBe(true)
    expect(source.failures).toEqual(['node-a run compute of plugin test: no result within 2500 ms'])
    expect(source.read()).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('no result within 2500 ms'),
    })
  })

  test.for([
    { answer: NaN, says: 'source test returned NaN, which is not finite' },
    { answer: -1, says: 'source test returned -1, which is negative' },
    { answer: 2n ** 63n, says: 'source test returned 9223372036854775808, which is more than 2^63-1' },
  ])('keeps its last value when it answers $answer', async ({ answer, says }) => {
    const source = startSource({})
    await source.query(4)
    await source.query(answer)
    expect(source.read()).toEqual({ kind: 'units', units: 4n })
    expect(source.failures).toEqual([`node-a compute example.com/dongle for node node-a: ${says}`])
  })
})

describe('a value', () => {
  test('is used until it is too old, counted from its observation', async () => {
    const source = startSource({ maxAgeSeconds: 60 })
    await source.query(4, 20_000)
    await source.clock.advance(40_000)
    expect(source.read()).toEqual({ kind: 'units', units: 4n })
    await source.clock.advance(1)
    expect(source.read()).toEqual({
      kind: 'unknown',
      reason: 'the last value of source test is older than the allowed 60 s',
    })
    expect(await source.query(new Error('away'))).toBe(true)
    expect(await source.query(new Error('away'))).toBe(false)
    expect(source.read()).toMatchObject({ reason: expect.stringMatching(/latest query failed: .*: away$/) })
  })

  test('of a source whose clock is ahead does not stay fresh for longer', async () => {
    const source = startSource({ maxAgeSeconds: 60 })
    await source.query(4, -3_600_000)
    expect(source.readings.ageMs(source.declaration)).toBe(0)
    await source.clock.advance(60_001)
    expect(source.read()).toMatchObject({ kind: 'unknown' })
  })

  test('is kept for keepSeconds, and then the node offers the minimum', async () => {
    const source = startSource({ maxAgeSeconds: 60, keepSeconds: 600, min: 2 })
    await source.query(8)
    await source.clock.advance(600_000)
    await source.query(new Error('away'))
    expect(source.read()).toMatchObject({ kind: 'unknown' })
    expect(source.expired).toEqual([])
    await source.clock.advance(1)
    expect(await source.query(new Error('away'))).toBe(true)
    expect(source.read()).toEqual({ kind: 'units', units: 2n })
    expect(await source.query(new Error('away'))).toBe(false)
    expect(source.expired).toEqual(['node-a'])
    expect(await source.query(8)).toBe(true)
    expect(source.read()).toEqual({ kind: 'units', units: 8n })
  })

  test('that never came counts from the first query', async () => {
    const source = startSource({ maxAgeSeconds: 60, keepSeconds: 60 })
    await source.clock.advance(1_000_000)
    await source.query(new Error('away'))
    expect(source.read()).toMatchObject({ kind: 'unknown' })
    await source.clock.advance(60_001)
    await source.query(new Error('away'))
    expect(source.read()).toEqual({ kind: 'units', units: 0n })
    expect(source.expired).toEqual(['node-a'])
  })

  test('is kept without end by default', async () => {
    const source = startSource({})
    await source.query(8)
    await source.clock.advance(1e12)
    await source.query(new Error('away'))
    expect(source.read()).toMatchObject({ kind: 'unknown' })
  })
})

test('a node that was deleted has no reading, also when its query ends afterwards', async () => {
  const source = startSource({ timeoutSeconds: 5 })
  await source.query(4)
  await source.clock.advance(10_000)
  expect(source.readings.ageMs(source.declaration)).toBe(10_000)
  const query = source.query(undefined)
  source.readings.forget('node-a')
  await source.clock.advance(5_000)
  expect(await query).toBe(false)
  expect(source.read()).toEqual({ kind: 'pending' })
  expect(source.readings.ageMs(source.declaration)).toBeUndefined()
})
