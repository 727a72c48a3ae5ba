import { readdirSync, readFileSync } from 'node:fs'
import { sumMetric } from '@berth/tools/story/start-app'
import type { ProcessSample } from './judge-growth.ts'

const METRICS_TIMEOUT_MS = 2_000

/**
 * Measures a process of this machine.
 *
 * @param healthUrl - Where the process serves /metrics.
 * @returns undefined if the process has ended.
 */
export async function sampleProcess(pid: number, healthUrl: string | undefined): Promise<ProcessSample | undefined> {
  const heapBytes = await readHeap(healthUrl)
  try {
    const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    // A process that ended and was not waited for has no memory.
    if (rss === undefined) return undefined
    return {
      atMs: performance.now(),
      rssBytes: 1024 * Number(rss),
      handles: readdirSync(`/proc/${pid}/fd`).length,
      heapBytes,
    }
  } catch {
    return undefined
  }
}

async function readHeap(healthUrl: string | undefined): Promise<number | undefined> {
  if (healthUrl === undefined) return undefined
  try {
    const response = await fetch(`${healthUrl}/metrics`, { signal: AbortSignal.timeout(METRICS_TIMEOUT_MS) })
    const bytes = sumMetric(await response.text(), 'nodejs_heap_size_used_bytes')
    return bytes > 0 ? bytes : undefined
  } catch {
    return undefined
  }
}
