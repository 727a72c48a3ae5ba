import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiClient } from '@berth/k8s-client'
import { resourceRefs } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { runOrThrow } from './run-command.ts'

const root = join(import.meta.dirname, '..', '..')

/**
 * Packs a plugin with `npm pack`, as its author would, and creates a ConfigMap with the archive.
 *
 * @param folder - Folder of a built package, relative to the root of the repository.
 * @returns A volume with the archive.
 */
export async function packPlugin(client: ApiClient, folder: string, namespace: string): Promise<unknown> {
  const target = await mkdtemp(join(tmpdir(), 'berth-plugin-'))
  try {
    const [packed] = JSON.parse(
      await runOrThrow('npm', ['pack', '--json', '--pack-destination', target, join(root, folder)]),
    ) as readonly { readonly filename: string }[]
    if (packed === undefined) throw new Error(`npm pack ${folder} made nothing`)
    const archive = await readFile(join(target, packed.filename))
    const name = `packed-${folder.replaceAll(/\W+/g, '-')}`
    return await createPluginVolume(client, { name, namespace }, { [packed.filename]: archive })
  } finally {
    await rm(target, { recursive: true })
  }
}

/** Creates or replaces a ConfigMap with these files and returns a volume with it. */
export async function createPluginVolume(
  client: ApiClient,
  metadata: { readonly name: string; readonly namespace: string },
  files: Readonly<Record<string, Buffer>>,
): Promise<unknown> {
  const binaryData = Object.fromEntries(Object.entries(files).map(([key, bytes]) => [key, bytes.toString('base64')]))
  const configMap: KubernetesObject & { readonly binaryData: unknown } = { metadata, binaryData }
  await client.delete(resourceRefs.configMaps, metadata)
  await client.create(resourceRefs.configMaps, configMap)
  return { configMap: { name: metadata.name } }
}
