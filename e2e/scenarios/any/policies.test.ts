import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { policyChecks, policyValues } from '../../checks/policies.ts'
import { installRelease, type Release } from '../../cluster/release.ts'
import { runCheck } from '../../cluster/test-cluster.ts'

const named = policyChecks.map((each) => [each.name, each] as const)

describe('two policies in one scheduler', () => {
  let release: Release | undefined

  beforeAll(async () => {
    release = await installRelease({ profile: 'scheduler-only', podSecurity: 'restricted', values: policyValues })
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
  })

  test.for(named)('%s', async ([, { run }]) => {
    expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
  })
})

describe('without Berth', () => {
  test.for(named)('fails: %s', async ([, { run, failureText }]) => {
    const why = expect.stringContaining(failureText) as string
    expect(await runCheck(run, { waitMs: 4_000 })).toEqual({ holds: false, why })
  })
})
