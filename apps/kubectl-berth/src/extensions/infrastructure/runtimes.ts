import { isBound, isTerminal } from '@berth/resources'
import type { Node } from '@berth/types'
import { isReady } from '../../facts/is-ready.ts'
import { placeOf } from '../model/program.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** The container runtimes of the nodes, by version, and the RuntimeClasses that choose their handlers. */
export const runtimes = survey({
  kind: 'runtimes',
  title: 'Container runtimes (CRI)',
  needs: ['nodes', 'pods', 'runtimeClasses'],
  find({ nodes, pods, runtimeClasses }, context) {
    const living = pods.filter((pod) => !isTerminal(pod))
    const onNodes = [...Map.groupBy(nodes, versionOf)].map(([name, own]) => {
      const problems = own.filter((node) => !isReady(node)).map(notReady)
      const names = new Set(own.map(({ metadata }) => metadata.name ?? ''))
      return {
        name,
        ...usersOf(
          living
            .filter((pod) => isBound(pod) && names.has(pod.spec.nodeName ?? ''))
            .map((pod) => `pod ${placeOf(pod)}`),
          context,
          'pods',
        ),
        health: problems.length > 0 ? ('unhealthy' as const) : ('healthy' as const),
        evidence: [`Nodes: ${[...names].toSorted().join(', ')}.`, ...problems],
      }
    })
    const classes = runtimeClasses.map(({ metadata, handler = '' }) => {
      const name = metadata.name ?? ''
      const users = living.filter(({ spec }) => runtimeClassOf(spec) === name)
      const supporting = nodes.filter((node) => handlersOf(node).includes(handler)).length
      const areHandlersKnown = nodes.some((node) => handlersOf(node).length > 0)
      return {
        name: `RuntimeClass ${name}`,
        ...usersOf(
          users.map((pod) => `pod ${placeOf(pod)}`),
          context,
          'pods',
        ),
        health: areHandlersKnown
          ? supporting > 0
            ? ('healthy' as const)
            : ('unhealthy' as const)
          : ('unknown' as const),
        evidence: [
          context.unread.has('nodes')
            ? `Which nodes have its handler ${handler} is unknown.`
            : areHandlersKnown
              ? `${supporting} of ${nodes.length} nodes report its handler ${handler}.`
              : `No node reports its handlers, so nothing says whether ${handler} exists.`,
        ],
      }
    })
    return [...onNodes, ...classes]
  },
})

function versionOf({ status }: Node): string {
  const { containerRuntimeVersion = '' } = status?.nodeInfo ?? {}
  return containerRuntimeVersion === '' ? 'not reported' : containerRuntimeVersion
}

function notReady({ metadata, status }: Node): string {
  const { reason = 'no condition', message = '' } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {}
  return `Node ${metadata.name ?? ''} is not ready: ${[reason, message].filter((part) => part !== '').join(': ')}`
}

/** Handlers that the kubelet reports (`status.runtimeHandlers`, Kubernetes 1.30). */
function handlersOf({ status }: Node): readonly string[] {
  const { runtimeHandlers = [] } = (status ?? {}) as {
    readonly runtimeHandlers?: readonly { readonly name?: string }[]
  }
  return runtimeHandlers.flatMap(({ name = '' }) => (name === '' ? [] : name))
}

function runtimeClassOf(spec: object): string | undefined {
  return (spec as { readonly runtimeClassName?: string }).runtimeClassName
}
