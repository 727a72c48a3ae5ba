import { expect, test } from 'vitest'
import type { PendingGroup } from '../../src/ui/model/pending-model.ts'
import { matchingGroups } from '../../src/ui/page/pending/matching-groups.ts'

test('the search finds groups by their cause and by their pods', () => {
  const rest = { count: 1, profile: '', nodeCount: 0, funnel: [], nodes: [], obstacles: [], fixes: [] }
  const full: PendingGroup = { ...rest, cause: 'Insufficient cpu', pods: ['shop/cart'] }
  const gated: PendingGroup = { ...rest, cause: 'The pod has scheduling gates.', pods: ['default/web'] }
  expect(matchingGroups([full, gated], '')).toEqual([full, gated])
  expect(matchingGroups([full, gated], 'insufficient CPU')).toEqual([full])
  expect(matchingGroups([full, gated], ' default/')).toEqual([gated])
  expect(matchingGroups([full, gated], 'nothing')).toEqual([])
})
