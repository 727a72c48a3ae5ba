import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiClient, ResourceRef } from '@berth/k8s-client'
import { resourceRefs } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { runOrThrow } from './run-command.ts'

const configMaps: ResourceRef = resourceRefs.configMaps
const root = join(import.meta.dirname, '..', '..')

/** A volume with the content of a package that `npm pack` created, in its own folder. */
export interface PackedPlugin {
  readonly volume: unknown
}

/**
 * Packs a plugin with `npm pack`, as its author would, and writes the files of the package into a ConfigMap.
 *
 * @param folder - Folder of a built package, relative to the root of the repository.
 */
export async function packPlugin(client: ApiClient, folder: string, namespace: string): Promise<PackedPlugin> {
  const target = await mkdtemp(join(tmpdir(), 'berth-plugin-'))
  try {
    const [packed] = JSON.parse(
      await runOrThrow('npm', ['pack', '--json', '--pack-destination', target, join(root, folder)]),
    ) as readonly { readonly filename: string; readonly files: readonly { readonly path: string }[] }[]
    if (packed === undefined) throw new Error(`npm pack ${folder} made nothing`)
    await runOrThrow('tar', ['-xzf', join(target, packed.filename), '-C', target])
    const paths = packed.files.map(({ path }) => path).filter((path) => /(?:\.js|^package\.json)$/.test(path))
    const name = `packed-${folder.replaceAll(/\W+/g, '-')}`
    const data: Record<string, string> = {}
    for (const path of paths) data[keyOf(path)] = await readFile(join(target, 'package', path), 'utf8')
    const configMap: KubernetesObject & { readonly data: unknown } = { metadata: { name, namespace }, data }
    await client.delete(configMaps, { name, namespace })
    await client.create(configMaps, configMap)
    const items = paths.map((path) => ({ key: keyOf(path), path: join(name, path) }))
    return { volume: { configMap: { name, items } } }
  } finally {
    await rm(target, { recursive: true })
  }
}

const keyOf = (path: string): string => path.replaceAll('/', '.')
