/** Counts how often each class of fault was injected, and how often the client met it. */
export interface FaultCounts {
  injected(name: string): void
  observed(name: string): void
  /** Returns one `name: injected/observed` per class, in order of first appearance. */
  report(): string
  /** Notes the time from the end of a fault until everything was correct again. */
  recovered(name: string, ms: number): void
  /** Returns one line per timed fault: median and maximum recovery time in milliseconds of virtual time. */
  recoveries(): readonly string[]
  /** Returns those of `names` that were never injected or never observed. */
  missing(names: readonly string[]): readonly string[]
}

/** Makes counts at zero. */
export function createFaultCounts(): FaultCounts {
  const injected = new Map<string, number>()
  const observed = new Map<string, number>()
  const recovered = new Map<string, number[]>()
  const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  return {
    injected: (name) => add(injected, name),
    observed: (name) => add(observed, name),
    report: () => [...injected].map(([name, count]) => `${name}: ${count}/${observed.get(name) ?? 0}`).join(', '),
    recovered(name, ms) {
      const times = recovered.get(name) ?? []
      times.push(ms)
      recovered.set(name, times)
    },
    recoveries: () =>
      [...recovered].map(([name, times]) => {
        const sorted = times.toSorted((a, b) => a - b)
        const [median, greatest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
        return `recovered from ${name}: median ${median} ms, greatest ${greatest} ms (${times.length} times)`
      }),
    missing: (names) => names.filter((name) => (injected.get(name) ?? 0) === 0 || (observed.get(name) ?? 0) === 0),
  }
}
