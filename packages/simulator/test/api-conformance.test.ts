import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startControllers } from '@berth/embedded-controllers'
import { createTestServer, withToken } from '../src/testing.ts'
import {
  declaredDifferences,
  caseGroups,
  openGroup,
  readRecording,
  recordingsFolder,
  type ConformanceTarget,
  type GroupRunner,
} from '@berth/api-conformance'

const docs = join(import.meta.dirname, '..', '..', '..', 'docs', 'simulator-differences.md')
const declared = declaredDifferences(readFileSync(docs, 'utf8'))
const ids = new Set(caseGroups.flatMap((group) => group.cases.map(({ id }) => id)))

test('has at least 150 conformance cases, each with its own id', () => {
  expect(ids.size).toBeGreaterThanOrEqual(150)
  expect(ids.size).toBe(caseGroups.reduce((sum, group) => sum + group.cases.length, 0))
})

test('every declared difference names a case', () => {
  expect([...declared].filter((id) => !ids.has(id))).toEqual([])
})

describe.for(caseGroups.map((group) => [group.name, group] as const))('conformance: %s', ([name, group]) => {
  const server = createTestServer({ rbac: true })
  const controllers = startControllers(server)
  const target: ConformanceTarget = {
    handle: server.handle,
    handleAs: (token) => withToken(server.handle, token),
    runId: 'r0000',
    async pause(ms) {
      server.clock.advance(ms)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const recording = readRecording(join(recordingsFolder, `${name}.json`))
  let runner: GroupRunner

  beforeAll(async () => {
    runner = await openGroup(target, group)
  })

  afterAll(async () => {
    await runner[Symbol.asyncDispose]()
    await controllers[Symbol.asyncDispose]()
  })

  test('the recording has these cases and no others', () => {
    expect([...recording.keys()].toSorted()).toEqual(group.cases.map(({ id }) => id).toSorted())
  })

  const all = group.cases.map(({ id }) => id)

  test.for(all.filter((id) => declared.has(id)))('%s is answered differently, as declared', async (id) => {
    expect(await runner.run(id)).not.toEqual(recording.get(id))
  })

  test.for(all.filter((id) => !declared.has(id)))('%s is answered as the real server answers', async (id) => {
    const answered = await runner.run(id)
    expect(answered).toEqual(recording.get(id))
  })
})
