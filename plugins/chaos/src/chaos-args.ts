import type { DecideContext, Pod } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments that every chaos plugin takes. */
export interface ChaosArgs {
  readonly namespaces: readonly string[]
  readonly seed?: number | undefined
}

/** The schema of {@link ChaosArgs}, to be extended. */
export const chaosShape: {
  readonly namespaces: z.ZodDefault<z.ZodArray<z.ZodString>>
  readonly seed: z.ZodOptional<z.ZodInt>
} = {
  namespaces: z
    .array(z.string().min(1))
    .default(['default'])
    .describe(
      'Namespaces whose pods the plugin affects; * means all namespaces. Other pods are placed as if the plugin were not enabled.',
    ),
  seed: z
    .int()
    .optional()
    .describe('Makes the draw for a pod and a node always the same. Omit it for a new draw in each attempt.'),
}

/** Returns whether the plugin concerns the pod. */
export function isSelected({ metadata }: Pod, { namespaces }: ChaosArgs): boolean {
  return namespaces.includes('*') || namespaces.includes(metadata.namespace ?? 'default')
}

/** Returns a number in [0, 1) for a pod and a node: the next one of the host, or that of the seed. */
export function draw(pod: Pod, nodeName: string, { seed }: ChaosArgs, { random }: DecideContext): number {
  if (seed === undefined) return random()
  const { namespace = 'default', name = '', uid = '' } = pod.metadata
  return hash(`${seed} ${namespace}/${name} ${uid} ${nodeName}`) / 2 ** 32
}

/** Returns a 32-bit hash: FNV-1a, mixed so that similar texts have unrelated results. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
