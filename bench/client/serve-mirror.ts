import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { KubernetesObject } from '@berth/types'
import { digestOf } from './digest.ts'

/** Prints the cost of the initial list, then answers each line of stdin with a digest of the mirrored objects. */
export async function serveMirror(startedAt: number, objects: () => Iterable<KubernetesObject>): Promise<void> {
  const ms = performance.now() - startedAt
  process.stdout.write(`${JSON.stringify({ ms, peakBytes: peakBytes(), objects: [...objects()].length })}\n`)
  for await (const _ of createInterface({ input: process.stdin })) process.stdout.write(`${digestOf(objects())}\n`)
}

/** Returns the peak resident memory of this process. Resource usage would include the parent's before the exec. */
function peakBytes(): number {
  const [, kib = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kib) * 1024
}
