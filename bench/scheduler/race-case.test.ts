import { expect, test } from 'vitest'
import type { Measurement } from '../measurement.ts'
import { compared } from './race-case.ts'

function line(median: number, unit: Measurement['unit']): Measurement {
  return { bench: 'scheduler', case: 'x', unit, median, min: 0, max: 0, samples: 1 }
}

test.for([
  { it: 'a rate', unit: 'pods/s', baseline: 300, berth: 900 },
  { it: 'a time', unit: 'us', baseline: 900, berth: 300 },
] as const)('a ratio above 1 says that Berth is better: $it', ({ unit, baseline, berth }) => {
  expect(compared([line(baseline, unit), line(berth, unit)], undefined)[1]).toMatchObject({
    against: 'kube-scheduler',
    ratio: 3,
  })
})
