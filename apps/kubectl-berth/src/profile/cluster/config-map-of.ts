import { posix } from 'node:path'
import type { Container, Pod } from '@berth/types'

/** The place of a configuration file in a ConfigMap. */
export interface ConfigMapFile {
  readonly namespace: string
  readonly name: string
  readonly key: string
}

/** The fields of a pod that mount a ConfigMap. */
interface MountingContainer extends Container {
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[]
}
interface ConfigMapSource {
  readonly name?: string
  readonly items?: readonly { readonly key: string; readonly path: string }[]
}
interface ConfigMapVolume {
  readonly name: string
  readonly configMap?: ConfigMapSource
  readonly projected?: { readonly sources?: readonly { readonly configMap?: ConfigMapSource }[] }
}

/** Returns where the ConfigMap holds a file that a container reads; undefined when the file is from elsewhere. */
export function configMapOf(pod: Pod, container: Container, file: string): ConfigMapFile | undefined {
  const { volumeMounts = [] } = container as MountingContainer
  for (const { name, mountPath, subPath } of volumeMounts) {
    const below = posix.relative(mountPath, file)
    if (below.startsWith('..')) continue
    const path = subPath === undefined ? below : posix.join(subPath, below)
    const volume = (pod.spec.volumes as readonly ConfigMapVolume[] | undefined)?.find((one) => one.name === name)
    const sources = [volume?.configMap, ...(volume?.projected?.sources ?? []).map(({ configMap }) => configMap)]
    for (const source of sources) {
      const key = source?.items === undefined ? path : source.items.find((item) => item.path === path)?.key
      if (source?.name === undefined || key === undefined || key === '') continue
      return { namespace: pod.metadata.namespace ?? '', name: source.name, key }
    }
  }
  return undefined
}
