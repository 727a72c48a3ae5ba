import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startControllers } from '../controllers/start-controllers.ts'
import { createTestServer, withToken } from '../testing.ts'
import { exchangeGroups } from './all-exchanges.ts'
import type { ExchangeTarget } from './exchange.ts'
import { openStage, type Stage } from './play-group.ts'
import { declaredDifferences, readRecording } from './recordings.ts'

const docs = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'simulator-differences.md')
const declared = declaredDifferences(readFileSync(docs, 'utf8'))
const ids = new Set(exchangeGroups.flatMap((group) => group.exchanges.map(({ id }) => id)))

test('there are at least 150 exchanges, each with an id of its own', () => {
  expect(ids.size).toBeGreaterThanOrEqual(150)
  expect(ids.size).toBe(exchangeGroups.reduce((sum, group) => sum + group.exchanges.length, 0))
})

test('every declared difference names an exchange', () => {
  expect([...declared].filter((id) => !ids.has(id))).toEqual([])
})

describe.for(exchangeGroups.map((group) => [group.name, group] as const))('exchanges: %s', ([name, group]) => {
  const server = createTestServer({ rbac: true })
  const controllers = startControllers(server)
  const target: ExchangeTarget = {
    handle: server.handle,
    handleAs: (token) => withToken(server.handle, token),
    runId: 'r0000',
    async pause(ms) {
      server.clock.advance(ms)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const recording = readRecording(join(import.meta.dirname, 'recorded', `${name}.json`))
  let stage: Stage

  beforeAll(async () => {
    stage = await openStage(target, group)
  })

  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await controllers[Symbol.asyncDispose]()
  })

  test('the recording has these exchanges and no others', () => {
    expect([...recording.keys()].toSorted()).toEqual(group.exchanges.map(({ id }) => id).toSorted())
  })

  const all = group.exchanges.map(({ id }) => id)

  test.for(all.filter((id) => declared.has(id)))('%s is answered differently, as declared', async (id) => {
    expect(await stage.play(id)).not.toEqual(recording.get(id))
  })

  test.for(all.filter((id) => !declared.has(id)))('%s is answered as the real server answers', async (id) => {
    const answered = await stage.play(id)
    expect(answered).toEqual(recording.get(id))
  })
})
