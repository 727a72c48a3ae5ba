import { type Candidates, type Container, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { nodeDeclaredFeaturesTopics } from './hint.ts'

const REASONS = ["node(s) didn't match Pod's required features"] as const
const STATE = 'required features'

const RESTART_ALL = 'RestartAllContainersOnContainerExits'
const HOST_NETWORK_IN_USER_NAMESPACE = 'UserNamespacesHostNetworkSupport'

/** Features that nodes may declare, ascending. Scheduling does not depend on the first three. */
const knownFeatures: readonly string[] = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  RESTART_ALL,
  HOST_NETWORK_IN_USER_NAMESPACE,
]

/**
 * Rejects nodes that do not declare the features that the pod's spec needs from a kubelet: the host's network inside a
 * user namespace, and rules that restart all containers.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go (v1.36)
 */
export const nodeDeclaredFeatures: EnginePlugin = {
  name: 'NodeDeclaredFeatures',
  eventTopics: () => nodeDeclaredFeaturesTopics,
  preFilter: (pod, _candidates, context) => preFilter(pod, context),
  filter,
  causes:
    ({ spec }, cluster) =>
    (row) => {
      const declared = featuresOf(cluster.node(row).status?.declaredFeatures ?? [])
      return requiredFeatures(spec)
        .filter((name) => !declared.has(name))
        .map((name) => `The node does not declare the feature ${name}, which the pod needs.`)
    },
}

const restartsAll = ({ restartPolicyRules }: Container): boolean =>
  restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') ?? false

function requiredFeatures({ hostNetwork, hostUsers, containers, initContainers }: Pod['spec']): readonly string[] {
  const required: string[] = []
  if (containers.some(restartsAll) || initContainers?.some(restartsAll)) required.push(RESTART_ALL)
  if (hostNetwork === true && hostUsers === false) required.push(HOST_NETWORK_IN_USER_NAMESPACE)
  return required
}

function preFilter({ spec }: Pod, { state }: EngineContext): PreFilterResult {
  const required = requiredFeatures(spec)
  if (required.length === 0) return { kind: 'skip' }
  state.set(STATE, required)
  return undefined
}

/**
 * Returns the known features in a node's list. The list is expected to be sorted, as the API server requires: as
 * upstream, a name after a greater one is not found.
 */
function featuresOf(declared: readonly string[]): ReadonlySet<string> {
  const features = new Set<string>()
  let next = 0
  for (const name of declared) {
    while (next < knownFeatures.length && (knownFeatures[next] ?? '') < name) next++
    if (knownFeatures[next] === name) features.add(name)
  }
  return features
}

function filter(_pod: Pod, { rows, count }: Candidates, output: EngineFilterOutput, context: EngineContext): void {
  const required = context.state.get(STATE) as readonly string[]
  for (let i = 0; i < count; i++) {
    const features = featuresOf(context.cluster.node(rows[i] ?? 0).status?.declaredFeatures ?? [])
    if (required.every((name) => features.has(name))) continue
    output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, REASONS)
  }
}
