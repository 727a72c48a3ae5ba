import { processMemory } from '@berth/e2e/real-api-server/process-memory'
import { createInterface } from 'node:readline'
import type { KubernetesObject } from '@berth/types'
import { digestOf } from './digest.ts'

/** Prints the cost of the initial list, then answers each line of stdin with a digest of the mirrored objects. */
export async function serveMirror(startedAt: number, objects: () => Iterable<KubernetesObject>): Promise<void> {
  const ms = performance.now() - startedAt
  process.stdout.write(
    `${JSON.stringify({ ms, peakBytes: processMemory('self').peak, objects: [...objects()].length })}\n`,
  )
  for await (const _ of createInterface({ input: process.stdin })) process.stdout.write(`${digestOf(objects())}\n`)
}
