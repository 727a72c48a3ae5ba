import { resourceAmounts } from '@berth/resources'
import type { Node, Pod } from '@berth/types'
import { type CoreEvent, latestEvent } from '../../explain/observed/core-event.ts'
import { declaredResources } from '../../extensions/model/declared-resources.ts'
import { devicePluginPrograms } from '../../extensions/model/device-plugin-programs.ts'
import { hostPathsOf, placeOf, type Program } from '../../extensions/model/program.ts'
import { isReady } from '../../facts/is-ready.ts'
import { check, type Finding } from '../model/check.ts'
import { kubectlCommand } from '../model/kubectl-command.ts'
import { logsFix, readingFix } from '../model/reading-fix.ts'

/** Directories of a kubelet below its root directory. */
const KUBELET_DIRECTORY = /^(.+)\/(?:plugins_registry|device-plugins|plugins|pods|pod-resources)(?:\/.*)?$/

/** Whether the device plugins reach the socket of the kubelet, and the kubelet lists what they declare. */
export const kubeletSockets = check({
  id: 'kubelet-sockets',
  title: 'Device plugins reach the kubelet',
  needs: ['pods', 'nodes', 'daemonSets', 'csiDrivers', 'resourceSlices', 'mountEvents'],
  run({ pods, nodes, daemonSets, csiDrivers, resourceSlices, mountEvents }) {
    const programs = devicePluginPrograms(pods, csiDrivers, resourceSlices)
    const nodesByName = new Map(nodes.map((node) => [node.metadata.name, node]))
    const podsOf = Map.groupBy(pods, ({ spec }) => spec.nodeName)
    return {
      examined: programs.map(({ name, pods: members }) => `${name} with ${members.length} pods.`),
      findings: programs.flatMap((program) => {
        const declared = declaredResources(program.name, daemonSets) ?? []
        return program.pods.flatMap((pod): readonly Finding[] => {
          if (!isReady(pod)) {
            const mount = latestEvent(mountEvents.filter((event) => isMountFailure(event, pod)))
            return [
              mount === undefined
                ? notReady(program, pod)
                : directoryMissing(pod, mount, podsOf.get(pod.spec.nodeName) ?? []),
            ]
          }
          const node = nodesByName.get(pod.spec.nodeName)
          const missing = node === undefined ? [] : absentNames(node, declared)
          return missing.length === 0 ? [] : [notListed(pod, missing)]
        })
      }),
    }
  },
})

/** Another volume of the pod may fail, too, for example a Secret that does not exist yet. */
function isMountFailure({ involvedObject, message = '' }: CoreEvent, { metadata }: Pod): boolean {
  return (
    involvedObject?.name === metadata.name &&
    involvedObject?.namespace === metadata.namespace &&
    message.includes('hostPath')
  )
}

/** The kubelet lists a name as soon as a plugin has registered, also with 0 units. */
function absentNames({ status }: Node, names: readonly string[]): readonly string[] {
  const listed = resourceAmounts(status?.capacity)
  return names.filter((name) => !listed.has(name))
}

function directoryMissing(pod: Pod, event: CoreEvent, besidePods: readonly Pod[]): Finding {
  const roots = otherRoots(pod, besidePods)
  const { namespace, name } = targetOf(pod)
  return {
    severity: 'problem',
    sentence: `Pod ${placeOf(pod)} cannot mount the directory of the kubelet on node ${pod.spec.nodeName ?? ''}.`,
    evidence: [
      `Event FailedMount: ${event.message ?? ''}`,
      ...roots.map(({ root, user }) => `Pod ${user} on the same node uses a kubelet with the root directory ${root}.`),
    ],
    fix: readingFix(
      roots.length === 0
        ? "Find the kubelet's --root-dir on the node, and set devicePlugin.kubeletDir of Berth's chart to it."
        : `Set devicePlugin.kubeletDir of Berth's chart to ${roots.map(({ root }) => root).join(' or ')}, and upgrade the release.`,
      kubectlCommand([name, namespace], 'describe', 'pod', name, '-n', namespace),
    ),
  }
}

/** Returns the root directories of kubelets that other pods of the node mount successfully. */
function otherRoots(pod: Pod, besidePods: readonly Pod[]): readonly { readonly root: string; readonly user: string }[] {
  const rootsOf = (one: Pod): readonly string[] =>
    hostPathsOf(one).flatMap((path) => KUBELET_DIRECTORY.exec(path)?.[1] ?? [])
  const own = new Set(rootsOf(pod))
  const found = besidePods
    .filter(isReady)
    .flatMap((one) => rootsOf(one).map((root) => [root, placeOf(one)] as const))
    .filter(([root]) => !own.has(root))
  return [...new Map(found.toReversed())].map(([root, user]) => ({ root, user }))
}

function notReady({ name }: Program, pod: Pod): Finding {
  const waiting = (pod.status?.containerStatuses ?? []).flatMap(({ name: container, state }) => {
    const { reason, message = '' } = (state?.['waiting'] ?? {}) as {
      readonly reason?: string
      readonly message?: string
    }
    return reason === undefined ? [] : [`Container ${container} waits: ${[reason, message].filter(Boolean).join(': ')}`]
  })
  return {
    severity: 'problem',
    sentence: `Pod ${placeOf(pod)} of ${name} is not ready, so the kubelet of node ${pod.spec.nodeName ?? ''} may not list its devices.`,
    evidence: waiting.length > 0 ? waiting : ['Its condition Ready is not True.'],
    fix: logsFix('Read why it is not ready.', targetOf(pod)),
  }
}

function notListed(pod: Pod, names: readonly string[]): Finding {
  const node = pod.spec.nodeName ?? ''
  return {
    severity: 'problem',
    sentence: `The kubelet of node ${node} does not list ${names.join(', ')}, although pod ${placeOf(pod)} is ready.`,
    evidence: [`The capacity of node ${node} lacks these names.`, `The DaemonSet of the pod declares them.`],
    fix: logsFix('Read whether the kubelet accepted the registration.', targetOf(pod)),
  }
}

function targetOf({ metadata }: Pod): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? 'default', name: metadata.name ?? '' }
}
