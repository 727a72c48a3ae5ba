import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  centralCheck,
  centralValues,
  foreignNodeCheck,
  nodeModeValues,
  numbersCheck,
  withdrawnCheck,
} from '../../checks/node-numbers.ts'
import { installRelease, type Release } from '../../cluster/release.ts'
import { runCheck } from '../../cluster/test-cluster.ts'

describe('the advertiser on each node', () => {
  let release: Release | undefined

  beforeAll(async () => {
    release = await installRelease({ profile: 'advertiser-only', values: nodeModeValues })
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
  })

  test('offers the bandwidth, the disks and the addresses that the tools of the node show', async () => {
    expect(await runCheck(numbersCheck, { waitMs: 120_000 })).toEqual({ holds: true })
  })

  test('cannot act on another node', async () => {
    expect(await runCheck(foreignNodeCheck, { waitMs: 30_000 })).toEqual({ holds: true })
  })

  test('hands over to the central advertiser and back', async () => {
    await release?.upgrade(centralValues)
    expect(await runCheck(centralCheck, { waitMs: 120_000 })).toEqual({ holds: true })
    await release?.upgrade(nodeModeValues)
    expect(await runCheck(numbersCheck, { waitMs: 120_000 })).toEqual({ holds: true })
  })

  test('leaves nothing on the nodes after an uninstall', async () => {
    const { status, stderr } = (await release?.uninstall()) ?? {}
    expect([status, stderr]).toEqual([0, expect.any(String)])
    expect(await runCheck(withdrawnCheck, { waitMs: 60_000 })).toEqual({ holds: true })
  })
})

describe('without Berth', () => {
  test('a node offers none of these numbers', async () => {
    const why = expect.stringContaining('timed out') as string
    expect(await runCheck(numbersCheck, { waitMs: 4_000 })).toEqual({ holds: false, why })
  })
})
