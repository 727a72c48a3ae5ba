import { isTerminal } from '@berth/resources'
import type { Node } from '@berth/types'
import { isReady } from '../../facts/is-ready.ts'
import { placeOf } from '../model/program.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** Labels, annotations and taints of nodes that a program plays: [kind, key, value or undefined for any]. */
const MARKS: readonly (readonly [program: string, key: string, value?: string])[] = [
  ['Virtual Kubelet', 'type', 'virtual-kubelet'],
  ['Virtual Kubelet', 'virtual-kubelet.io/provider'],
  ['kwok', 'kwok.x-k8s.io/node'],
  ['kubectl berth simulate', 'berth.dev/simulated'],
]

/** Nodes without a machine: of Virtual Kubelet, and simulated ones. */
export const virtualNodes = survey({
  kind: 'virtual-nodes',
  title: 'Virtual nodes (Virtual Kubelet, simulated)',
  needs: ['nodes', 'pods'],
  find({ nodes, pods }, context) {
    const podsOf = Map.groupBy(pods, ({ spec }) => spec.nodeName)
    return nodes.flatMap((node) => {
      const mark = markOf(node)
      const { name = '' } = node.metadata
      if (mark === undefined) return []
      const users = (podsOf.get(name) ?? []).filter((pod) => !isTerminal(pod))
      return [
        {
          name,
          ...usersOf(
            users.map((pod) => `pod ${placeOf(pod)}`),
            context,
            'pods',
          ),
          health: isReady(node) ? ('healthy' as const) : ('unhealthy' as const),
          evidence: [
            `A node of ${mark.program}: it has ${mark.where}.`,
            isReady(node) ? 'It reports that it is ready.' : 'It does not report that it is ready.',
          ],
        },
      ]
    })
  },
})

function markOf({ metadata, spec }: Node): { readonly program: string; readonly where: string } | undefined {
  for (const [program, key, value] of MARKS) {
    const matches = (found: string | undefined): found is string =>
      found !== undefined && (value === undefined || found === value)
    const label = metadata.labels?.[key]
    if (matches(label)) return { program, where: `the label ${key}=${label}` }
    const annotation = metadata.annotations?.[key]
    if (matches(annotation)) return { program, where: `the annotation ${key}` }
    if (spec?.taints?.some((taint) => taint.key === key && matches(taint.value ?? '')) === true)
      return { program, where: `the taint ${key}` }
  }
  return undefined
}
