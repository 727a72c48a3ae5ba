import { type Candidates, type Container, MAX_NODE_SCORE, type Pod } from '@berth/types'
import type { EngineContext, EnginePlugin } from '../../framework/engine-plugin.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import type { HeldImage } from '../../state/nodes/image-index.ts'

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
  uniformScore: (pod, { cluster }) => (heldImages(pod, cluster).length === 0 ? 0 : undefined),
}

/** Returns the name with `:latest` if it has neither tag nor digest. */
function normalizedName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image
}

function referenceOf(volumeImage: unknown): string | undefined {
  if (typeof volumeImage !== 'object' || volumeImage === null || !('reference' in volumeImage)) return undefined
  return typeof volumeImage.reference === 'string' ? volumeImage.reference : undefined
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])]
}

/** Returns the images of the pod's containers and volumes that some node holds, once for each use. */
function heldImages(pod: Pod, { images }: ClusterTable): readonly HeldImage[] {
  const volumes = (pod.spec.volumes ?? []).flatMap((volume) => referenceOf(volume['image']) ?? [])
  const names = [...containersOf(pod).map((container) => container.image ?? ''), ...volumes]
  return names.flatMap((name) => images.find(normalizedName(name)) ?? [])
}

function score(pod: Pod, { rows, count }: Candidates, scores: Float64Array, { cluster }: EngineContext): void {
  const held = heldImages(pod, cluster)
  if (held.length === 0) return
  const { scratch, rowCount, nodeCount } = cluster
  const sums = scratch.takeFloats(rowCount)
  for (const image of held) {
    const share = Math.trunc(image.size * (image.rows.length / nodeCount))
    for (const row of image.rows) sums[row] = (sums[row] ?? 0) + share
  }
  const max = MAX_CONTAINER_THRESHOLD * containersOf(pod).length
  for (let i = 0; i < count; i++) {
    const sum = sums[rows[i] ?? 0] ?? 0
    const clamped = sum < MIN_THRESHOLD ? MIN_THRESHOLD : Math.min(sum, max)
    scores[i] = Math.trunc((MAX_NODE_SCORE * (clamped - MIN_THRESHOLD)) / (max - MIN_THRESHOLD))
  }
  scratch.giveBack(sums)
}
