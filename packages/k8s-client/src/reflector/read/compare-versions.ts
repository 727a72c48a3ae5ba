/** Order of two resource versions; `unknown` if they are not decimal numbers. */
export type VersionOrder = 'older' | 'equal' | 'newer' | 'unknown'

const DECIMAL = /^(?:0|[1-9]\d*)$/

/**
 * Compares resource versions of one resource type. They are decimal numbers that may exceed 2^53.
 *
 * @see KEP-5504 (comparable resource versions)
 */
export function compareVersions(a: string, b: string): VersionOrder {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return 'unknown'
  if (a === b) return 'equal'
  if (a.length !== b.length) return a.length < b.length ? 'older' : 'newer'
  return a < b ? 'older' : 'newer'
}
