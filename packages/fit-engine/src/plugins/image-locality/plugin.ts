import { type Candidates, MAX_NODE_SCORE, type Pod } from '@berth/types'
import type { EngineContext, EnginePlugin } from '../../framework/engine-plugin.ts'

const MEBIBYTE = 1024 * 1024
/** Sum of the sizes of the pod's images on the node up to which the score is 0. */
const MIN_THRESHOLD = 23 * MEBIBYTE
/** The same sum from which on the score is full, for each container of the pod. */
const MAX_CONTAINER_THRESHOLD = 1000 * MEBIBYTE

/**
 * Prefers nodes that already have the pod's images. An image counts more the more nodes have it, so that pods do not
 * all go to the one node that has it.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/imagelocality/image_locality.go (v1.36)
 */
export const imageLocality: EnginePlugin = {
  name: 'ImageLocality',
  score,
}

/** Returns the name with `:latest` if it has neither tag nor digest. */
function normalizedName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image
}

function referenceOf(volumeImage: unknown): string | undefined {
  if (typeof volumeImage !== 'object' || volumeImage === null || !('reference' in volumeImage)) return undefined
  return typeof volumeImage.reference === 'string' ? volumeImage.reference : undefined
}

function score(pod: Pod, { rows, count }: Candidates, scores: Float64Array, { cluster }: EngineContext): void {
  const { spec } = pod
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
  const volumes = (spec.volumes ?? []).flatMap((volume) => referenceOf(volume['image']) ?? [])
  let sums: Float64Array | undefined
  for (const image of [...containers.map((container) => container.image ?? ''), ...volumes]) {
    const held = cluster.images.find(normalizedName(image))
    if (held === undefined) continue
    sums ??= new Float64Array(cluster.rowCount)
    const share = Math.trunc(held.size * (held.rows.length / cluster.nodeCount))
    for (const row of held.rows) sums[row] = (sums[row] ?? 0) + share
  }
  if (sums === undefined) return
  const max = MAX_CONTAINER_THRESHOLD * containers.length
  for (let i = 0; i < count; i++) {
    const sum = sums[rows[i] ?? 0] ?? 0
    const clamped = sum < MIN_THRESHOLD ? MIN_THRESHOLD : Math.min(sum, max)
    scores[i] = Math.trunc((MAX_NODE_SCORE * (clamped - MIN_THRESHOLD)) / (max - MIN_THRESHOLD))
  }
}
