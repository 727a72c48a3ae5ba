import { type Candidates, type Container, type Pod, type PreFilterResult, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'

const REASONS = ["node(s) didn't match Pod's required features"] as const
const STATE = 'required features'

const RESTART_ALL = 'RestartAllContainersOnContainerExits'
const HOST_NETWORK_IN_USER_NAMESPACE = 'UserNamespacesHostNetworkSupport'

/** Features that nodes may declare, ascending. No pod needs the first three in order to be placed. */
const knownFeatures: readonly string[] = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  RESTART_ALL,
  HOST_NETWORK_IN_USER_NAMESPACE,
]

/**
 * Keeps a pod off nodes that do not declare what its spec needs of a kubelet: the host's network inside of a user
 * namespace, and restarting all containers by a rule.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go (v1.36)
 */
export const nodeDeclaredFeatures: EnginePlugin = {
  name: 'NodeDeclaredFeatures',
  preFilter: (pod, _candidates, context) => preFilter(pod, context),
  filter,
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

/** What a node declares is taken for sorted, as the API server demands: a name after a greater one is not seen. */
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
