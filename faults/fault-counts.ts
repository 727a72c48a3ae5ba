import { systemFaults } from './faults/system-faults.ts'
import type { SeedResult } from './run-seed.ts'

/** Sums the faults that were injected by kind. */
export interface FaultCounts {
  add(result: SeedResult): void
  /** Returns the kinds of the list that never happened, sorted. */
  missing(): readonly string[]
  /** Returns a line for each kind, also for those that never happened. */
  text(): string
}

/** Creates counts of zero. */
export function createFaultCounts(): FaultCounts {
  const counts = new Map(systemFaults.map(({ name }) => [name, 0]))
  return {
    add(result) {
      for (const [name, count] of Object.entries(result.counts)) counts.set(name, (counts.get(name) ?? 0) + count)
    },
    missing: () =>
      systemFaults
        .map(({ name }) => name)
        .filter((name) => counts.get(name) === 0)
        .toSorted(),
    text() {
      const injected = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
      return `Injected:\n${injected.map(([name, count]) => `  ${count} times: ${name}\n`).join('')}`
    },
  }
}
