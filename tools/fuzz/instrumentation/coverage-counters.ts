/** Code that ran for the first time, or more often than before. */
export interface CoverageNews {
  /** Statements and branches. */
  readonly counters: number
  /** Statements and branches that ran a larger number of times than before, in powers of two. */
  readonly magnitudes: number
}

/** How often each statement and branch of the instrumented files ran. */
export interface CoverageCounters {
  /** Forgets the runs since the last call. */
  reset(): void
  /** Returns the news of the last runs, and forgets the runs. */
  takeNews(): CoverageNews
  /** Number of counters that ever ran. */
  covered(): number
  /** Number of counters. */
  total(): number
}

/** The part of istanbul's data that is replaced by one array for all files. */
interface FileCoverage {
  s: Record<string, number> | Uint32Array
  b: Record<string, readonly number[] | Uint32Array>
}

/** Name of the global variable that instrumented files count in. */
export const COVERAGE_VARIABLE = '__berthFuzzCoverage__'

const MAX_COUNTERS = 1 << 18

/**
 * Creates counters over the files that are instrumented so far or later. Their counts move to one array, because an object
 * for each file would take longer to read than most inputs take to run.
 */
export function createCoverageCounters(): CoverageCounters {
  const counts = new Uint32Array(MAX_COUNTERS)
  /** A bit for each magnitude that was reached. */
  const seen = new Uint8Array(MAX_COUNTERS)
  const attached = new Set<string>()
  let used = 0
  const claim = (length: number): Uint32Array => {
    if (used + length > MAX_COUNTERS) throw new RangeError(`more than ${MAX_COUNTERS} counters: raise MAX_COUNTERS`)
    used += length
    return counts.subarray(used - length, used)
  }
  const attach = (): void => {
    const files = (globalThis as { [COVERAGE_VARIABLE]?: Record<string, FileCoverage> })[COVERAGE_VARIABLE] ?? {}
    for (const path in files) {
      const file = files[path]
      if (file === undefined || attached.has(path)) continue
      attached.add(path)
      file.s = claim(Object.keys(file.s).length)
      for (const branch of Object.keys(file.b)) file.b[branch] = claim(file.b[branch]?.length ?? 0)
    }
  }
  return {
    reset() {
      attach()
      counts.fill(0, 0, used)
    },
    takeNews() {
      attach()
      const news = { counters: 0, magnitudes: 0 }
      for (let i = 0; i < used; i++) {
        const count = counts[i] ?? 0
        if (count === 0) continue
        const before = seen[i] ?? 0
        const after = before | (1 << Math.min(7, 31 - Math.clz32(count)))
        if (after !== before) {
          seen[i] = after
          if (before === 0) news.counters += 1
          else news.magnitudes += 1
        }
        counts[i] = 0
      }
      return news
    },
    covered: () => seen.subarray(0, used).reduce((sum, bits) => sum + (bits === 0 ? 0 : 1), 0),
    total: () => used,
  }
}
