import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLUSTER_NAME } from '../cluster/kind-cluster.ts'
import { runOrThrow } from '../cluster/run-command.ts'

/** An image and the nodes to load it onto. */
export interface LoadImageOptions {
  readonly engine: string
  /** Path of the kind program. */
  readonly kind: string
  readonly tag: string
  /** Containers of the nodes of the cluster. */
  readonly nodes: readonly string[]
}

/**
 * Loads an image from the engine onto every node that lacks its tag.
 *
 * @returns The names of the nodes that it was loaded onto.
 */
export async function loadImage({ engine, kind, tag, nodes }: LoadImageOptions): Promise<readonly string[]> {
  const found = await Promise.all(
    nodes.map(async (node) => {
      const names = await runOrThrow(engine, ['exec', node, 'ctr', '-n', 'k8s.io', 'images', 'ls', '-q'])
      return names.split('\n').includes(tag) ? [] : [node]
    }),
  )
  const missing = found.flat()
  if (missing.length === 0) return missing
  const folder = await mkdtemp(join(tmpdir(), 'berth-load-'))
  try {
    const archive = join(folder, 'image.tar')
    await runOrThrow(engine, ['save', '-o', archive, tag])
    await runOrThrow(kind, ['load', 'image-archive', archive, '--name', CLUSTER_NAME, '--nodes', missing.join(',')], {
      env: { KIND_EXPERIMENTAL_PROVIDER: engine },
    })
  } finally {
    await rm(folder, { recursive: true })
  }
  return missing
}
