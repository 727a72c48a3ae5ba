import { join } from 'node:path'
import { caseGroups, openGroup, readRecording, recordingsFolder, type GroupRunner } from '@berth/api-conformance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectConformanceTarget } from '../../cluster/conformance-target.ts'
import { expireWatchHistory } from '../../cluster/expire-watch-history.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'

const { kubeconfig } = testEnvironment()

describe.for(caseGroups.map((group) => [group.name, group] as const))('conformance: %s', ([name, group]) => {
  const target = connectConformanceTarget(kubeconfig)
  const recording = readRecording(join(recordingsFolder, `${name}.json`))
  let runner: GroupRunner

  beforeAll(async () => {
    if (name === 'watch') await expireWatchHistory(target)
    runner = await openGroup(target, group)
  })

  afterAll(async () => {
    await runner[Symbol.asyncDispose]()
    await target[Symbol.asyncDispose]()
  })

  const ids = group.cases.map(({ id }) => id)
  test.for(ids)('%s equals the recording', { concurrent: group.areIndependent }, async (id) => {
    expect(await runner.run(id)).toEqual(recording.get(id))
  })
})
