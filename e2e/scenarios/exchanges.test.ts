import { join } from 'node:path'
import { exchangeGroups, openStage, readRecording, type Stage } from '@berth/simulator/exchanges'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectExchangeTarget, recordingsFolder } from '../cluster/exchange-target.ts'

const kubeconfig = process.env['BERTH_E2E_KUBECONFIG'] ?? ''

describe.for(exchangeGroups.map((group) => [group.name, group] as const))('exchanges: %s', ([name, group]) => {
  const target = connectExchangeTarget(kubeconfig)
  const recording = readRecording(join(recordingsFolder, `${name}.json`))
  let stage: Stage

  beforeAll(async () => {
    stage = await openStage(target, group)
  })

  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await target[Symbol.asyncDispose]()
  })

  test.for(group.exchanges.map(({ id }) => id))('%s is answered as it was recorded', async (id) => {
    expect(await stage.play(id)).toEqual(recording.get(id))
  })
})
