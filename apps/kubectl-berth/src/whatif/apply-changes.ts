import { isListed } from '@berth/cluster-view'
import { type ClusterState, withRequest } from '@berth/fit-engine'
import { isTerminal } from '@berth/resources'
import type { Node, Pod } from '@berth/types'
import { CommandError, UsageError } from '../errors.ts'
import type { NamedSubject } from '../explain/subjects/named-subjects.ts'
import { podsOfSubject } from './affected-pods.ts'
import { displacedPod, isNodeBound, type WaitingPod } from './waiting-pod.ts'
import type { WhatIf } from './what-if.ts'

/** What changes of nodes and requests did at once. */
export interface AppliedChanges {
  /** The pods that need a node. */
  readonly displaced: readonly WaitingPod[]
  /** The pods of the cluster that are gone or recreated. */
  readonly handled: ReadonlySet<Pod>
}

/**
 * Adds and removes nodes, recreates pods with other requests, and cordons the nodes to drain.
 *
 * @throws CommandError BERTH_KUBECTL_NOT_FOUND for an unknown node or pod, or a workload without pods, and
 * BERTH_KUBECTL_FORBIDDEN where its pods may not be listed; UsageError BERTH_KUBECTL_USAGE for requests that a pod cannot have.
 */
export function applyChanges(question: WhatIf, state: ClusterState): AppliedChanges {
  const { changes, snapshot } = question
  for (const [name, count] of changes.addedNodes) {
    const node = nodeOf(question, name)
    for (let copy = 1; copy <= count; copy++) state.setNode(emptyCopy(node, `${name}-copy-${copy}`))
  }
  const displaced: WaitingPod[] = []
  const handled = new Set<Pod>()
  for (const { original, changed } of changedPods(question)) {
    state.deletePod(original)
    handled.add(original)
    displaced.push({ ...displacedPod(changed), isChanged: true })
  }
  for (const name of changes.removedNodes) {
    nodeOf(question, name)
    for (const pod of snapshot.pods) {
      if (pod.spec.nodeName !== name || isTerminal(pod) || handled.has(pod)) continue
      state.deletePod(pod)
      handled.add(pod)
      if (!isNodeBound(pod)) displaced.push(displacedPod(pod))
    }
    state.deleteNode(name)
  }
  for (const name of changes.drainedNodes) {
    const node = nodeOf(question, name)
    if (!changes.removedNodes.includes(name)) state.setNode({ ...node, spec: { ...node.spec, unschedulable: true } })
  }
  return { displaced, handled }
}

function changedPods(question: WhatIf): readonly { readonly original: Pod; readonly changed: Pod }[] {
  const { changes, namespace } = question
  if (changes.requests === undefined) return []
  const { subjects, amounts } = changes.requests
  return subjects.flatMap((subject) => {
    const kind = subject.resource.kind.toLowerCase()
    requireKnownPods(subject, question)
    const pods = podsOfSubject(subject, { ...question, replicaSets: question.replicaSets ?? [] })
    if (pods.length === 0)
      throw kind === 'pod'
        ? notFound(`pod ${namespace}/${subject.name}`)
        : new CommandError(`try a change of ${kind} ${namespace}/${subject.name}: it has no pods`, {
            code: 'BERTH_KUBECTL_NOT_FOUND',
          })
    return pods.map((original) => {
      const changed = withRequest(original, amounts)
      if (changed === undefined)
        throw new UsageError(
          `change the requests of pod ${namespace}/${original.metadata.name ?? ''}: its overhead or its other containers need more`,
          'Give larger amounts.',
        )
      return { original, changed }
    })
  })
}

/** Fails where a pod that is not in the snapshot may exist, because this user may not list pods or ReplicaSets. */
function requireKnownPods({ resource, name }: NamedSubject, { snapshot, namespace, replicaSets }: WhatIf): void {
  const needsSets = resource.plural === 'deployments'
  const unlisted = [
    ...(isListed(snapshot, 'pods', namespace) ? [] : ['pods']),
    ...(needsSets && replicaSets === undefined ? ['replicasets'] : []),
  ]
  if (unlisted.length === 0) return
  const plurals = unlisted.join(' and ')
  throw new CommandError(
    `try a change of ${resource.kind.toLowerCase()} ${namespace}/${name}: this user may not list ${plurals}`,
    { code: 'BERTH_KUBECTL_FORBIDDEN', hint: `Grant the verb list on ${plurals} in namespace ${namespace}.` },
  )
}

function nodeOf({ snapshot }: WhatIf, name: string): Node {
  const node = snapshot.nodes.get(name)
  if (node === undefined) throw notFound(`node ${name}`)
  return node
}

function notFound(object: string): CommandError {
  return new CommandError(`try a change of ${object}: not found`, { code: 'BERTH_KUBECTL_NOT_FOUND' })
}

/** The kubelet sets the hostname label to the name of the node. */
function emptyCopy(node: Node, name: string): Node {
  const labels = { ...node.metadata.labels, 'kubernetes.io/hostname': name }
  const { unschedulable: _cordoned, ...spec } = node.spec ?? {}
  return { ...node, metadata: { ...node.metadata, name, uid: name, labels }, spec }
}
