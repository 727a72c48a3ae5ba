import { expect, test } from 'vitest'
import { runSeed, stepNames, type PlantedBug } from './run-seed.ts'

/** `npm run soak:advertiser` runs more seeds; so does BERTH_FAULT_SEEDS with this test. */
const SEEDS = Number(process.env['BERTH_FAULT_SEEDS'] ?? 200)

test.each([
  { it: 'in the file', asObjects: false, seeds: SEEDS },
  { it: 'as objects', asObjects: true, seeds: Math.ceil(SEEDS / 4) },
])(
  `random faults leave each node at what is declared $it or held, and nothing is written at rest ($seeds seeds)`,
  { timeout: 7_200_000 },
  async ({ asObjects, seeds }) => {
    const counts = new Map<string, number>()
    for (let seed = 1; seed <= seeds; seed++)
      expect(await runSeed(seed, counts, { asObjects }), `seed ${seed}`).toEqual([])
    process.stdout.write(`Steps: ${[...counts].map(([name, count]) => `${name}: ${count}`).join(', ')}\n`)
    expect(stepNames.filter((name) => !counts.has(name))).toEqual([])
  },
)

test.each<[PlantedBug, RegExp, boolean]>([
  ['drops-withdrawals', /must be undefined and is|I4/, false],
  ['hides-pods', /must be \d/, false],
  ['writes-at-rest', /I5/, false],
  ['keeps-finalizers', /deleted objects remain/, true],
])(
  'the random faults find the planted bug %s',
  async (bug, says, asObjects) => {
    const found: string[] = []
    for (let seed = 1; seed <= 20 && found.length === 0; seed++)
      found.push(...(await runSeed(seed, new Map(), { bug, asObjects })))
    expect(found.join('\n')).toMatch(says)
  },
  120_000,
)
