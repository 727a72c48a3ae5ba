import { isTerminal } from '@berth/resources'
import type { VolumeAttachment } from '@berth/types'
import { placeOf } from '../model/program.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** The storage drivers: those that a CSIDriver, a CSINode or a volume names. */
export const csiDrivers = survey({
  kind: 'csi-drivers',
  title: 'CSI drivers',
  needs: ['csiDrivers', 'csiNodes', 'storageClasses', 'persistentVolumes', 'volumeAttachments', 'pods'],
  find({ csiDrivers: installed, csiNodes, storageClasses, persistentVolumes, volumeAttachments, pods }, context) {
    const inline = pods
      .filter((pod) => !isTerminal(pod))
      .flatMap((pod) => (pod.spec.volumes ?? []).flatMap(({ csi }) => (csi === undefined ? [] : { pod, csi })))
    const registered = csiNodes.flatMap(({ metadata, spec }) =>
      (spec.drivers ?? []).map(({ name }) => ({ name, node: metadata.name ?? '' })),
    )
    const names = new Set([
      ...installed.map(({ metadata }) => metadata.name ?? ''),
      ...registered.map(({ name }) => name),
      ...persistentVolumes.flatMap(({ spec }) => spec.csi?.driver ?? []),
      ...inline.map(({ csi }) => csi.driver),
    ])
    const isDescribed = (name: string): boolean => installed.some(({ metadata }) => metadata.name === name)
    return [...names].map((name) => {
      const nodes = registered.filter((row) => row.name === name).length
      const volumes = persistentVolumes.filter(({ spec }) => spec.csi?.driver === name)
      const failures = volumeAttachments.filter(({ spec }) => spec.attacher === name).flatMap(attachFailure)
      const users = [
        ...storageClasses
          .filter(({ provisioner }) => provisioner === name)
          .map(({ metadata }) => `StorageClass ${metadata.name ?? ''}`),
        ...volumes.map(({ metadata }) => `PersistentVolume ${metadata.name ?? ''}`),
        ...inline.filter(({ csi }) => csi.driver === name).map(({ pod }) => `pod ${placeOf(pod)}`),
      ]
      const isLost = nodes === 0 && !context.unread.has('csiNodes')
      return {
        name,
        ...usersOf(users, context, 'storageClasses', 'persistentVolumes', 'pods'),
        health: failures.length > 0 || isLost ? 'unhealthy' : nodes === 0 ? 'unknown' : 'healthy',
        evidence: [
          isLost
            ? 'No node has registered it (CSINode).'
            : context.unread.has('csiNodes')
              ? 'Which nodes have registered it (CSINode) is unknown.'
              : `${nodes} of ${csiNodes.length} nodes have registered it (CSINode).`,
          ...(isDescribed(name) || context.unread.has('csiDrivers') ? [] : ['No CSIDriver object describes it.']),
          ...failures,
        ],
      }
    })
  },
})

function attachFailure(attachment: VolumeAttachment): readonly string[] {
  const { attachError } = (attachment.status ?? {}) as { readonly attachError?: { readonly message?: string } | null }
  const volume = attachment.spec.source.persistentVolumeName ?? 'an inline volume'
  return attachError === undefined || attachError === null
    ? []
    : [`It cannot attach ${volume} to node ${attachment.spec.nodeName}: ${attachError.message ?? 'no reason given'}`]
}
