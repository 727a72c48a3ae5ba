import { describe, expect, test } from 'vitest'
import { runCheck } from '../../cluster/test-cluster.ts'
import { DONGLE, patchedDonglesCheck } from '../../checks/dongles.ts'

describe('dongles added by JSON patch, without Berth', () => {
  test('dongles that a patch adds are allocated, and another patch removes them', async () => {
    expect(await runCheck(patchedDonglesCheck(true), { waitMs: 180_000 })).toEqual({ holds: true })
  })

  test('the check fails without the patch', async () => {
    const why = expect.stringContaining(`4/4 units of ${DONGLE} on`) as string
    expect(await runCheck(patchedDonglesCheck(false), { waitMs: 4_000 })).toEqual({ holds: false, why })
  })
})
