import { resourceRefs } from '@berth/k8s-client'
import type { CoreEvent } from '../../explain/observed/core-event.ts'
import { hostPathsOf, placeOf } from '../../extensions/model/program.ts'
import { check, type Finding } from '../model/check.ts'
import { kubectlCommand } from '../model/kubectl-command.ts'

const ENFORCE = 'pod-security.kubernetes.io/enforce'
/** Pod security standards that forbid hostPath volumes. */
const FORBIDS_HOST_PATH: ReadonlySet<string> = new Set(['baseline', 'restricted'])

/**
 * Whether the namespaces of programs that mount the host admit their pods.
 *
 * @see k8s.io/pod-security-admission policy/check_hostPathVolumes.go (v0.36)
 */
export const podSecurity = check({
  id: 'pod-security',
  title: 'Namespaces admit pods that mount the host',
  needs: ['namespaces', 'daemonSets', 'creationEvents'],
  run({ namespaces, daemonSets, creationEvents }) {
    const mounting = daemonSets.flatMap((daemonSet) => {
      const { spec } = daemonSet.spec?.template ?? {}
      const paths = spec === undefined ? [] : hostPathsOf({ spec })
      return paths.length === 0 ? [] : [{ daemonSet, paths }]
    })
    const byNamespace = Map.groupBy(mounting, ({ daemonSet }) => daemonSet.metadata.namespace ?? 'default')
    return {
      examined: mounting.map(({ daemonSet, paths }) => `DaemonSet ${placeOf(daemonSet)} mounts ${paths.join(', ')}.`),
      findings: [...byNamespace].flatMap(([namespace, members]): readonly Finding[] => {
        const labels = namespaces.find(({ metadata }) => metadata.name === namespace)?.metadata.labels ?? {}
        const level = labels[ENFORCE] ?? ''
        if (!FORBIDS_HOST_PATH.has(level)) return []
        const names = members.map(({ daemonSet }) => `DaemonSet ${placeOf(daemonSet)}`)
        return [
          {
            severity: 'problem',
            sentence: `Namespace ${namespace} enforces the pod security standard ${level}, which forbids the host paths of ${names.join(', ')}.`,
            evidence: [
              `Its label ${ENFORCE} is ${level}.`,
              ...creationEvents
                .filter((event) => isRefusal(event, namespace, members))
                .map(({ message = '' }) => `Event FailedCreate: ${message}`),
            ],
            fix: {
              sentence: 'Let the namespace run privileged pods, or move the program to a namespace that does.',
              commands: kubectlCommand(
                [namespace],
                'label',
                'namespace',
                namespace,
                `${ENFORCE}=privileged`,
                '--overwrite',
              ),
              safety: 'It stops no pod. Everyone who may create pods in this namespace may then mount the host.',
              trials: [
                {
                  resource: resourceRefs.namespaces,
                  target: { name: namespace },
                  type: 'merge',
                  body: { metadata: { labels: { [ENFORCE]: 'privileged' } } },
                },
              ],
            },
          },
        ]
      }),
    }
  },
})

function isRefusal(
  { involvedObject, message = '' }: CoreEvent,
  namespace: string,
  members: readonly { readonly daemonSet: { readonly metadata: { readonly name?: string } } }[],
): boolean {
  return (
    involvedObject?.namespace === namespace &&
    members.some(({ daemonSet }) => daemonSet.metadata.name === involvedObject.name) &&
    message.includes('violates PodSecurity')
  )
}
