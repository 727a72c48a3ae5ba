import { expect, test } from 'vitest'
import { runSeed, stepNames, type PlantedBug } from './run-seed.ts'

/** `BERTH_FAULT_SEEDS=10000 vitest run apps/advertiser/test/faults` runs more seeds. */
const SEEDS = Number(process.env['BERTH_FAULT_SEEDS'] ?? 200)

test(
  `random faults leave each node at what is declared or held, and nothing is written at rest (${SEEDS} seeds)`,
  { timeout: 7_200_000 },
  async () => {
    const counts = new Map<string, number>()
    for (let seed = 1; seed <= SEEDS; seed++) expect(await runSeed(seed, counts), `seed ${seed}`).toEqual([])
    process.stdout.write(`Steps: ${[...counts].map(([name, count]) => `${name}: ${count}`).join(', ')}\n`)
    expect(stepNames.filter((name) => !counts.has(name))).toEqual([])
  },
)

test.each<[PlantedBug, RegExp]>([
  ['drops-withdrawals', /must be undefined and is|I4/],
  ['hides-pods', /must be \d/],
  ['writes-at-rest', /I5/],
])(
  'the random faults find the planted bug %s',
  async (bug, says) => {
    const found: string[] = []
    for (let seed = 1; seed <= 20 && found.length === 0; seed++) found.push(...(await runSeed(seed, new Map(), bug)))
    expect(found.join('\n')).toMatch(says)
  },
  120_000,
)
