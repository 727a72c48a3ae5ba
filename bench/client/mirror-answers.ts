import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { KubernetesObject } from '@berth/types'
import { digestOf } from './digest.ts'

/** Prints what the first read cost, then answers each line of stdin with a digest of what is held. */
export async function answerAsMirror(startedAt: number, objects: () => Iterable<KubernetesObject>): Promise<void> {
  const ms = performance.now() - startedAt
  process.stdout.write(`${JSON.stringify({ ms, peakBytes: peakBytes(), objects: [...objects()].length })}\n`)
  for await (const _ of createInterface({ input: process.stdin })) process.stdout.write(`${digestOf(objects())}\n`)
}

/** Peak resident memory of this process alone; rusage would count the parent's before the start. */
function peakBytes(): number {
  const [, kib = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kib) * 1024
}
