import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../cluster/run-command.ts'

/** Which image goes where. */
export interface LoadImageOptions {
  readonly engine: string
  /** The program. */
  readonly kind: string
  readonly clusterName: string
  readonly tag: string
  /** Containers that are nodes of the cluster. */
  readonly nodes: readonly string[]
}

/**
 * Puts an image of the engine on every node that has none of this tag.
 *
 * @returns Names of the nodes that got it now.
 */
export async function loadImage({
  engine,
  kind,
  clusterName,
  tag,
  nodes,
}: LoadImageOptions): Promise<readonly string[]> {
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
    await runOrThrow(kind, ['load', 'image-archive', archive, '--name', clusterName, '--nodes', missing.join(',')], {
      env: { KIND_EXPERIMENTAL_PROVIDER: engine },
    })
  } finally {
    await rm(folder, { recursive: true })
  }
  return missing
}
