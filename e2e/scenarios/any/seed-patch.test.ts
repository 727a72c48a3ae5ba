import { describe, expect, test } from 'vitest'
import { play } from '../../cluster/test-cluster.ts'
import { patchedDongles } from '../../checks/dongles.ts'

describe('dongles by JSON patch, as the seed texts have them; nothing of Berth is installed', () => {
  test('a capacity that is patched in is handed out, and patched out again', async () => {
    expect(await play(patchedDongles(true), { waitMs: 180_000 })).toEqual({ holds: true })
  })

  test('without the patch it does not hold', async () => {
    const why = expect.stringContaining('four dongles on') as string
    expect(await play(patchedDongles(false), { waitMs: 4_000 })).toEqual({ holds: false, why })
  })
})
