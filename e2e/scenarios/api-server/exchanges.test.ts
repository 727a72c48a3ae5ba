import { join } from 'node:path'
import { exchangeGroups, openStage, readRecording, type Stage } from '@berth/simulator/exchanges'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectExchangeTarget, recordingsFolder } from '../../cluster/exchange-target.ts'
import { forgetChanges } from '../../cluster/forget-changes.ts'
import { sessionUnderTest } from '../../cluster/session.ts'

const { kubeconfig } = sessionUnderTest()

describe.for(exchangeGroups.map((group) => [group.name, group] as const))('exchanges: %s', ([name, group]) => {
  const target = connectExchangeTarget(kubeconfig)
  const recording = readRecording(join(recordingsFolder, `${name}.json`))
  let stage: Stage

  beforeAll(async () => {
    if (name === 'watch') await forgetChanges(target)
    stage = await openStage(target, group)
  })

  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await target[Symbol.asyncDispose]()
  })

  const ids = group.exchanges.map(({ id }) => id)
  test.for(ids)('%s is answered as it was recorded', { concurrent: group.areApart }, async (id) => {
    expect(await stage.play(id)).toEqual(recording.get(id))
  })
})
