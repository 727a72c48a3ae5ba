import { ConfigError } from '@berth/process/errors'
import type { IdleSetting } from '@berth/scheduler-config'

/**
 * Feature gates of kube-scheduler (v1.36) that change where a pod is placed, with the only value that this scheduler
 * implements.
 */
const implemented: ReadonlyMap<string, boolean> = new Map([
  ['InPlacePodLevelResourcesVerticalScaling', true],
  ['InPlacePodVerticalScaling', true],
  ['MatchLabelKeysInPodAffinity', true],
  ['MatchLabelKeysInPodTopologySpread', true],
  ['MatchLabelKeysInPodTopologySpreadSelectorMerge', true],
  ['NodeDeclaredFeatures', true],
  ['NodeInclusionPolicyInPodTopologySpread', true],
  ['PodLevelResources', true],
  ['SidecarContainers', true],
  ['AllBeta', true],
  ['AllAlpha', false],
  ['DRANodeAllocatableResources', false],
  ['StorageCapacityScoring', false],
  ['TaintTolerationComparisonOperators', false],
  ['TopologyAwareWorkloadScheduling', false],
  ['VolumeLimitScaling', false],
  ['WorkloadAwarePreemption', false],
])

/** Gates of features that this scheduler has wherever the cluster serves their API. */
const followTheCluster: ReadonlySet<string> = new Set(['GangScheduling', 'GenericWorkload'])

/**
 * Checks the value of --feature-gates, `A=true,B=false`.
 *
 * @returns The gates without effect: kubeadm and kind pass the gates of every component to each of them.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_INVALID for a gate that would change placement, and for bad syntax.
 */
export function checkFeatureGates(text: string): readonly IdleSetting[] {
  const gates = text.split(',').filter((entry) => entry.trim() !== '')
  return gates.flatMap((entry) => {
    const [, gate = '', value] = /^\s*(\w+)=(true|false)\s*$/i.exec(entry) ?? []
    if (value === undefined)
      throw refusal(`"${entry}" is not GATE=true or GATE=false`, 'Write --feature-gates A=true,B=false.')
    const isOn = implemented.get(gate)
    if (isOn === undefined) {
      const reason = followTheCluster.has(gate)
        ? 'pod groups are scheduled wherever the cluster serves their API'
        : 'no feature of this scheduler depends on it'
      return [{ key: `--feature-gates ${gate}`, reason }]
    }
    if (isOn !== (value.toLowerCase() === 'true')) {
      throw refusal(
        `${gate}=${value}: this scheduler ${isOn ? 'always has this feature' : 'does not implement this feature'}`,
        'Remove the gate.',
      )
    }
    return []
  })
}

function refusal(reason: string, hint: string): ConfigError {
  return new ConfigError(`read --feature-gates: ${reason}`, { code: 'BERTH_SCHEDULER_CONFIG_INVALID', hint })
}
