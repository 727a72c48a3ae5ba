import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { KubernetesObject, Node, Pod } from '@berth/types'
import { isReady } from '../facts/is-ready.ts'

/** The state of a DaemonSet whose pods each do one task on their node. */
export interface DaemonSetRollout {
  /** `done`: every pod is ready, or the missing ones are on nodes that do not respond. */
  readonly kind: 'waiting' | 'done'
  /** One line for people. */
  readonly text: string
}

interface DaemonSet extends KubernetesObject {
  readonly spec?: { readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } }
  readonly status?: {
    readonly desiredNumberScheduled?: number
    readonly numberReady?: number
    readonly observedGeneration?: number
  }
}

/**
 * Reads how far a DaemonSet is.
 *
 * @param options.skipsUnresponsiveNodes - Whether a rollout counts as done when only nodes that are not Ready are missing.
 * @throws Errors of the client, for example ApiError when the DaemonSet does not exist.
 */
export async function readDaemonSetRollout(
  client: ApiClient,
  target: { readonly namespace: string; readonly name: string },
  { skipsUnresponsiveNodes, signal }: { readonly skipsUnresponsiveNodes: boolean; readonly signal: AbortSignal },
): Promise<DaemonSetRollout> {
  const { metadata, spec, status = {} } = await client.get<DaemonSet>(resourceRefs.daemonSets, target, { signal })
  const { desiredNumberScheduled: desired = 0, numberReady: ready = 0, observedGeneration } = status
  const progress = `${ready} of ${desired} pods ready`
  if (observedGeneration !== metadata?.generation) return { kind: 'waiting', text: progress }
  if (ready >= desired) return { kind: 'done', text: progress }

  const labels = Object.entries(spec?.selector.matchLabels ?? {})
  const labelSelector = labels.map((label) => label.join('=')).join(',')
  const { namespace } = target
  const { items: pods } = await client.list<Pod>(resourceRefs.pods, { namespace, labelSelector, signal })
  const unready = pods.filter((pod) => !isReady(pod))
  const failures = unready.map((pod) => failureText(pod)).join('')
  if (!skipsUnresponsiveNodes || pods.length < desired) return { kind: 'waiting', text: `${progress}${failures}` }
  const nodeNames = unready.map((pod) => nodeNameOf(pod))
  for (const name of nodeNames) {
    if (name === undefined || isReady(await client.get<Node>(resourceRefs.nodes, { name }, { signal }))) {
      return { kind: 'waiting', text: `${progress}${failures}` }
    }
  }
  const text = `${progress}; these nodes do not respond and keep the socket directory: ${nodeNames.join(', ')}`
  return { kind: 'done', text }
}

/** Returns the pod's node. A DaemonSet pod that is not bound yet names its node in its affinity. */
function nodeNameOf({ spec }: Pod): string | undefined {
  const [term] = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return spec?.nodeName ?? term?.matchFields?.[0]?.values?.[0]
}

/** Returns what a failed init container wrote, or an empty string. */
function failureText(pod: Pod): string {
  const messages = (pod.status?.initContainerStatuses ?? []).flatMap(({ state, lastState }) => {
    const terminated = state?.['terminated'] ?? lastState?.['terminated']
    const { exitCode = 0, message = '' } = (terminated ?? {}) as {
      readonly exitCode?: number
      readonly message?: string
    }
    return exitCode === 0 ? [] : [message.trim().replaceAll('\n', ', ')]
  })
  return messages.length === 0 ? '' : `; on node ${nodeNameOf(pod)}: ${messages.join(', ')}`
}
