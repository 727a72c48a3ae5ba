/** What is measured of a process. */
export type Quantity = 'rssBytes' | 'heapBytes' | 'handles'

/** One measurement of a process. */
export interface ProcessSample {
  readonly atMs: number
  /** Resident memory. */
  readonly rssBytes: number
  /** Open file handles. */
  readonly handles: number
  /** Used heap of V8. Undefined while the process does not serve its metrics, for example because it is stopped. */
  readonly heapBytes: number | undefined
}

/** The samples of one process from its start to its end. An app that restarts has several. */
export interface ProcessLife {
  readonly name: string
  readonly samples: readonly ProcessSample[]
}

/** The growth of one quantity above which a process is judged to leak: per hour, and in the whole judged part. */
interface GrowthBound {
  readonly perHour: number
  readonly total: number
  /** Replaces `total` for a process that lived less than an hour: its caches fill, and V8 still chooses the size of its heap. */
  readonly warmingTotal: number
}

/** The growth of one quantity in the later half of a life. */
export interface Growth {
  readonly quantity: Quantity
  readonly perHour: number
  readonly total: number
  /** The bound of `total` for a process of this age. */
  readonly totalBound: number
  readonly isExceeded: boolean
}

/** The result for one process. */
export interface LifeVerdict {
  readonly name: string
  readonly livedMs: number
  /** The first and the last sample. */
  readonly from: ProcessSample
  readonly to: ProcessSample
  /** Undefined if the process did not live long enough. */
  readonly growths: readonly Growth[] | undefined
}

const MIB = 1_048_576
const HOUR_MS = 3_600_000
/** Parts of the later half. The minimum of each is fitted, because a heap grows until the garbage collector runs. */
const PARTS = 12
const MIN_PARTS = 4

const growthBounds: Readonly<Record<Quantity, GrowthBound>> = {
  rssBytes: { perHour: 8 * MIB, total: 12 * MIB, warmingTotal: 64 * MIB },
  heapBytes: { perHour: 4 * MIB, total: 6 * MIB, warmingTotal: 32 * MIB },
  handles: { perHour: 6, total: 8, warmingTotal: 8 },
}

/**
 * Fits the growth of a process in the later half of its life, and compares it with the bounds.
 *
 * @param minLifeMs - A process that lived shorter is not judged.
 * @returns undefined of a life without samples.
 */
export function judgeLife({ name, samples }: ProcessLife, minLifeMs: number): LifeVerdict | undefined {
  const [from] = samples
  const to = samples.at(-1)
  if (from === undefined || to === undefined) return undefined
  const livedMs = to.atMs - from.atMs
  const later = samples.filter(({ atMs }) => atMs >= from.atMs + livedMs / 2)
  const growths =
    livedMs < minLifeMs
      ? undefined
      : (Object.keys(growthBounds) as Quantity[]).flatMap((quantity) => growthOf(later, quantity, livedMs) ?? [])
  return { name, livedMs, from, to, growths }
}

/** Returns a sentence for each process that grows above a bound, and for each name of which no process was judged. */
export function growthProblems(verdicts: readonly LifeVerdict[], names: readonly string[]): readonly string[] {
  const judged = new Set(verdicts.filter(({ growths }) => growths !== undefined).map(({ name }) => name))
  return [
    ...verdicts.flatMap(({ name, growths = [] }) =>
      growths.filter(({ isExceeded }) => isExceeded).map((growth) => `${name}: ${growthText(growth)}`),
    ),
    ...names
      .filter((name) => !judged.has(name))
      .map((name) => `${name}: no process lived long enough to be judged; run longer`),
  ]
}

function growthText({ quantity, perHour, total, totalBound }: Growth): string {
  const shown = (amount: number): string =>
    quantity === 'handles' ? amount.toFixed(1) : `${(amount / MIB).toFixed(1)} MiB`
  return (
    `${quantity} grew by ${shown(perHour)} per hour and ${shown(total)} in all; ` +
    `the bounds are ${shown(growthBounds[quantity].perHour)} and ${shown(totalBound)}`
  )
}

interface Point {
  readonly atMs: number
  readonly value: number
}

/** Returns undefined where too few samples have the quantity. */
function growthOf(samples: readonly ProcessSample[], quantity: Quantity, livedMs: number): Growth | undefined {
  const points = samples.flatMap((sample) => {
    const value = sample[quantity]
    return value === undefined ? [] : [{ atMs: sample.atMs, value }]
  })
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) return undefined
  const spanMs = last.atMs - first.atMs
  const minima = new Map<number, Point>()
  for (const point of points) {
    const part = Math.min(PARTS - 1, Math.floor(((point.atMs - first.atMs) / spanMs) * PARTS))
    const lowest = minima.get(part)
    if (lowest === undefined || point.value < lowest.value) minima.set(part, point)
  }
  if (minima.size < MIN_PARTS) return undefined
  const perMs = slope([...minima.values()])
  const [perHour, total] = [perMs * HOUR_MS, perMs * spanMs]
  const bound = growthBounds[quantity]
  const totalBound = livedMs < HOUR_MS ? bound.warmingTotal : bound.total
  return { quantity, perHour, total, totalBound, isExceeded: perHour > bound.perHour && total > totalBound }
}

/** Returns the slope of the least-squares line. */
function slope(points: readonly Point[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const meanMs = mean(points.map(({ atMs }) => atMs))
  const meanValue = mean(points.map(({ value }) => value))
  let [products, squares] = [0, 0]
  for (const { atMs, value } of points) {
    products += (atMs - meanMs) * (value - meanValue)
    squares += (atMs - meanMs) ** 2
  }
  return products / squares
}
