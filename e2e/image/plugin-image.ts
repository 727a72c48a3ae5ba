import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runOrThrow } from '../cluster/run-command.ts'
import type { TestEnvironment } from '../cluster/test-environment.ts'
import { contentTag } from './content-tag.ts'
import { loadImage } from './load-image.ts'

/** An image with one plugin file. */
export interface PluginImage {
  /** Image that the file is added to, `scratch` for none. */
  readonly base: string
  /** Directory of the file in the image. */
  readonly directory: string
  /** Path of the file. */
  readonly file: string
}

/**
 * Builds an image with a plugin, as its author would, and loads it onto the nodes. Uses no registry.
 *
 * @returns The reference of the image.
 */
export async function buildPluginImage(
  { engine, kind, nodeContainers }: TestEnvironment,
  { base, directory, file }: PluginImage,
): Promise<string> {
  const dockerfile = `FROM ${base}\nCOPY plugin.ts ${join(directory, basename(file))}\n`
  const tag = contentTag('berth.local/plugins', [
    { name: 'Dockerfile', bytes: dockerfile },
    { name: 'plugin.ts', bytes: await readFile(file) },
  ])
  const context = await mkdtemp(join(tmpdir(), 'berth-plugin-image-'))
  try {
    await writeFile(join(context, 'Dockerfile'), dockerfile)
    await copyFile(file, join(context, 'plugin.ts'))
    await runOrThrow(engine, ['build', '-q', '-t', tag, context], { env: { DOCKER_BUILDKIT: '0' } })
  } finally {
    await rm(context, { recursive: true })
  }
  await loadImage({ engine, kind, tag, nodes: nodeContainers })
  return tag
}
