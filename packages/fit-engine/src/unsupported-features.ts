import type { Pod } from '@berth/types'

/** Pod fields that decide where a pod may run and that the engine does not implement; it must not be placed then. */
type Check = (pod: Pod) => string | undefined

const checks: readonly Check[] = [
  ({ spec }) =>
    spec.resourceClaims?.length ? 'spec.resourceClaims: dynamic resource allocation is not implemented' : undefined,
]

/** Volume sources that no filter of the default profile restricts to certain nodes. */
const freeVolumeSources: ReadonlySet<string> = new Set([
  'configMap',
  'downwardAPI',
  'emptyDir',
  'hostPath',
  'image',
  'nfs',
  'projected',
  'secret',
])

function unsupportedVolumes(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) =>
    Object.keys(volume)
      .filter((key) => key !== 'name' && volume[key] !== undefined && !freeVolumeSources.has(key))
      .map((key) => `spec.volumes[${volume.name}].${key}: volumes that are tied to nodes are not implemented`),
  )
}

/**
 * Names what the pod uses and the engine does not implement. Empty means that the engine's answer is complete;
 * otherwise scheduler and extender refuse the pod and say why.
 */
export function unsupportedFeatures(pod: Pod): readonly string[] {
  return [...checks.flatMap((check) => check(pod) ?? []), ...unsupportedVolumes(pod)]
}
