import { describe, expect, test } from 'vitest'
import { runCheck } from '../../cluster/test-cluster.ts'
import { patchedDonglesCheck } from '../../checks/dongles.ts'

describe('dongles added by JSON patch, without Berth', () => {
  test('a capacity that is patched in is allocated and can be removed again', async () => {
    expect(await runCheck(patchedDonglesCheck(true), { waitMs: 180_000 })).toEqual({ holds: true })
  })

  test('the check fails without the patch', async () => {
    const why = expect.stringContaining('four dongles on') as string
    expect(await runCheck(patchedDonglesCheck(false), { waitMs: 4_000 })).toEqual({ holds: false, why })
  })
})
