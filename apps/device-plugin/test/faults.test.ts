import { expect, test } from 'vitest'
import { deviceFaults } from './faults/device-faults.ts'
import { runDeviceSeed } from './faults/run-device-seed.ts'

const SEEDS = 200

test(`after random faults F11 to F15 the kubelet counts every device, and no two pods hold one (${SEEDS} seeds)`, async () => {
  const counts = new Map<string, number>()
  for (let seed = 1; seed <= SEEDS; seed++) expect(await runDeviceSeed(seed, counts), `seed ${seed}`).toEqual([])
  const missing = deviceFaults.filter(({ name }) => !counts.has(name))
  expect(missing, 'classes of faults that never happened').toEqual([])
})
