/** How often each class of fault was injected, and how often the client really met it. */
export interface FaultCounts {
  injected(name: string): void
  observed(name: string): void
  /** One `name: injected/observed` per class, in order of first appearance. */
  report(): string
  /** Classes of `names` that were never injected or never observed. */
  missing(names: readonly string[]): readonly string[]
}

/** Counts at zero. */
export function createFaultCounts(): FaultCounts {
  const injected = new Map<string, number>()
  const observed = new Map<string, number>()
  const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  return {
    injected: (name) => add(injected, name),
    observed: (name) => add(observed, name),
    report: () => [...injected].map(([name, count]) => `${name}: ${count}/${observed.get(name) ?? 0}`).join(', '),
    missing: (names) => names.filter((name) => (injected.get(name) ?? 0) === 0 || (observed.get(name) ?? 0) === 0),
  }
}
