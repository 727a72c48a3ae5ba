/** The sum and the number of observations of a histogram. */
export interface Observations {
  readonly seconds: number
  readonly count: number
}

/** Reads the metrics of a scheduler that serves them at `url`. */
export async function readMetrics(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error(`read ${url}: status ${response.status}`)
  return await response.text()
}

/** Returns the observations of a histogram, of all series that have the label (all, if it is empty); zeros without one. */
export function observationsOf(metrics: string, name: string, label: string): Observations {
  return { seconds: sumOf(metrics, `${name}_sum`, label), count: sumOf(metrics, `${name}_count`, label) }
}

/** Returns the sum of the series of a metric that have the label (of all, if it is empty); 0 when there is none. */
export function sumOf(metrics: string, name: string, label: string): number {
  let sum = 0
  for (const line of metrics.split('\n')) {
    if (!/^[{ ]/.test(line.slice(name.length)) || !line.startsWith(name) || !line.includes(label)) continue
    sum += Number(line.slice(line.lastIndexOf(' ') + 1))
  }
  return sum
}

/** Returns the microseconds of each observation between two readings. */
export function usPerObservation(before: Observations, after: Observations): number {
  return ((after.seconds - before.seconds) * 1e6) / (after.count - before.count)
}
