import { defaultPlugins } from '@berth/fit-engine'
import { expect, test } from 'vitest'
import { restrictToPoints } from './plugin-hooks.ts'

test.for([
  { point: 'score', kept: 'scoreShape', dropped: 'shortlist' },
  { point: 'filter', kept: 'shortlist', dropped: 'scoreShape' },
] as const)('a plugin that runs at $point alone keeps $kept and not $dropped', ({ point, kept, dropped }) => {
  const fit = defaultPlugins().find(({ plugin }) => plugin.name === 'NodeResourcesFit')
  const restricted = fit && restrictToPoints(fit.plugin, new Set([point]))
  expect(restricted).toHaveProperty(kept)
  expect(restricted).not.toHaveProperty(dropped)
})
