import type { LifeVerdict, ProcessSample, Quantity } from './judge-growth.ts'

const MIB = 1_048_576
const MINUTE_MS = 60_000
const HEADS = ['process', 'lived', 'RSS', 'RSS/h', 'heap', 'heap/h', 'handles', 'handles/h', 'result'] as const

/** Returns a table of the judged processes, and a line for each app with the number of the others. */
export function growthTable(verdicts: readonly LifeVerdict[]): string {
  const judged = verdicts.filter(({ growths }) => growths !== undefined)
  const rows = [HEADS, ...judged.map(rowOf)]
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const short = Map.groupBy(
    verdicts.filter(({ growths }) => growths === undefined),
    ({ name }) => name,
  )
  for (const [name, lives] of short) lines.push(`${name}: ${lives.length} more processes lived too short to be judged`)
  return `${lines.join('\n')}\n`
}

/** Returns the memory and handles of one sample in a few words. */
export function sampleText({ rssBytes, heapBytes, handles }: ProcessSample): string {
  return `${mib(rssBytes)} MiB, heap ${mib(heapBytes)}, ${handles} handles`
}

function rowOf({ name, livedMs, from, to, growths = [] }: LifeVerdict): readonly string[] {
  const perHour = (quantity: Quantity): string => {
    const growth = growths.find((each) => each.quantity === quantity)
    if (growth === undefined) return '-'
    const amount = quantity === 'handles' ? growth.perHour : growth.perHour / MIB
    return `${amount < 0 ? '' : '+'}${amount.toFixed(1)}`
  }
  return [
    name,
    `${(livedMs / MINUTE_MS).toFixed(1)} min`,
    `${mib(from.rssBytes)} -> ${mib(to.rssBytes)} MiB`,
    perHour('rssBytes'),
    `${mib(from.heapBytes)} -> ${mib(to.heapBytes)}`,
    perHour('heapBytes'),
    `${from.handles} -> ${to.handles}`,
    perHour('handles'),
    growths.some(({ isExceeded }) => isExceeded) ? 'GROWS' : 'flat',
  ]
}

function mib(bytes: number | undefined): string {
  return bytes === undefined ? '-' : (bytes / MIB).toFixed(1)
}
