import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../cluster/run-command.ts'
import type { TestEnvironment } from '../cluster/test-environment.ts'
import { loadImage } from './load-image.ts'

/** An image with a plugin. */
export interface PluginImage {
  /** Text of the Dockerfile. */
  readonly dockerfile: string
  /** Folder of the built package. */
  readonly context: string
}

/**
 * Builds an image with a plugin, as its author would, and loads it onto the nodes. Uses no registry.
 *
 * @returns The reference of the image. Its tag is the start of the image id.
 */
export async function buildPluginImage(
  { engine, kind, nodeContainers }: TestEnvironment,
  { dockerfile, context }: PluginImage,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-plugin-image-'))
  try {
    const file = join(folder, 'Dockerfile')
    await writeFile(file, dockerfile)
    const id = await runOrThrow(engine, ['build', '-q', '-f', file, context], { env: { DOCKER_BUILDKIT: '0' } })
    const tag = `berth.local/plugins:${id.trim().replace('sha256:', '').slice(0, 12)}`
    await runOrThrow(engine, ['tag', id.trim(), tag])
    await loadImage({ engine, kind, tag, nodes: nodeContainers })
    return tag
  } finally {
    await rm(folder, { recursive: true })
  }
}
