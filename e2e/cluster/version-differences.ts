import { testedKubernetes } from './kubernetes-version.ts'

/** Checks that cannot pass on some versions of Kubernetes, because these behave differently. */
export interface VersionDifference {
  /** Minor versions, for example `1.34`. */
  readonly kubernetes: readonly string[]
  /**
   * The feature gate that these versions do not have, or have with another default than the newest version. Undefined: Kubernetes
   * changed this without a gate.
   */
  readonly featureGate: string | undefined
  /** How these versions differ from the newest one. */
  readonly reason: string
  /** The scenario's file below `e2e/scenarios`. */
  readonly file: string
  /** Title of a suite that cannot start without the gate. It is left out. */
  readonly suite?: string
  /** Titles of checks. They run, and must fail. */
  readonly checks?: readonly string[]
  /** Title of the suite that has the checks. Default: checks with these titles must fail in each suite. */
  readonly within?: string
}

/**
 * Returns whether a version lacks a feature, for a scenario whose other checks run without it.
 *
 * @param kubernetes - Minor version. Default: the one that this run tests.
 */
export function lacksGate(featureGate: string, kubernetes = testedKubernetes()): boolean {
  return versionDifferences.some((each) => each.featureGate === featureGate && each.kubernetes.includes(kubernetes))
}

const older = ['1.34', '1.35']
/** Conformance cases, whose responses were recorded with the newest version. */
const recordings = (...ids: readonly string[]): readonly string[] => ids.map((id) => `${id} equals the recording`)
const recorded = (...ids: readonly string[]): Pick<VersionDifference, 'file' | 'checks'> => ({
  file: 'nodes/conformance.test.ts',
  checks: recordings(...ids),
})

/** The only checks that a run with a version of Kubernetes leaves out or expects to fail. */
export const versionDifferences: readonly VersionDifference[] = [
  {
    kubernetes: older,
    featureGate: 'GenericWorkload',
    reason: 'scheduling.k8s.io/v1alpha2 with its pod groups is new in 1.36',
    file: 'nodes/pod-groups.test.ts',
    suite: 'pod groups of scheduling.k8s.io/v1alpha2',
  },
  {
    kubernetes: older,
    featureGate: 'GenericWorkload',
    reason: 'scheduling.k8s.io/v1alpha2 with its pod groups is new in 1.36',
    file: 'api-server/drop-in.test.ts',
    checks: [
      'kube-scheduler places a gang as a whole once it fits, and none of it before',
      'places a gang as a whole once it fits, and none of it before',
    ],
  },
  {
    kubernetes: older,
    featureGate: 'ResourceHealthStatus',
    reason: 'pods report the health of their devices by default from 1.36, and no pod is evicted before',
    file: 'nodes/dead-device.test.ts',
    suite: 'a device dies',
  },
  {
    kubernetes: older,
    featureGate: 'ResourceHealthStatus',
    reason: 'pods report the health of their devices by default from 1.36',
    file: 'nodes/device-conformance.test.ts',
    checks: recordings(
      'pod-gets-devices',
      'device-of-a-pod-becomes-unhealthy',
      'more-than-there-is',
      'plugin-prefers',
      'container-is-announced',
      'devices-on-numa-nodes',
      'kubelet-restarts-classic',
    ),
  },
  {
    kubernetes: ['1.34'],
    featureGate: undefined,
    reason:
      'kube-scheduler tries a pod again before its own cache has the new volume, and not a second time: its cache was replaced in 1.35',
    file: 'nodes/first-consumer.test.ts',
    within: 'with kube-scheduler',
    checks: ['a pod waits until a local volume for its claim exists'],
  },
  {
    kubernetes: ['1.34'],
    featureGate: 'ImageVolume',
    reason: 'an image can be mounted as a volume by default from 1.35',
    file: 'nodes/plugin-delivery.test.ts',
    checks: ['an image that is mounted as a volume'],
  },
  {
    kubernetes: older,
    featureGate: 'DRAExtendedResource',
    reason: 'a DeviceClass answers requests for an extended resource by default from 1.36',
    file: 'api-server/migrate.test.ts',
    checks: ['kube-scheduler allocates a claim for a pod that still requests the extended resource'],
  },
  {
    kubernetes: older,
    featureGate: 'RelaxedServiceNameValidation',
    reason: 'the name of a service must not begin with a digit before 1.36',
    ...recorded('create-service-name-starts-with-digit'),
  },
  {
    kubernetes: ['1.34'],
    featureGate: 'PodTopologyLabelsAdmission',
    reason: 'a pod does not get the labels of its Binding before 1.35',
    ...recorded('sub-bind-annotations-and-labels'),
  },
  {
    kubernetes: older,
    featureGate: 'InPlacePodVerticalScalingInitContainers',
    reason: 'resources of init containers cannot be changed before 1.36',
    ...recorded(
      'resize-init-container',
      'resize-init-container-other-resources',
      'resize-init-container-loses-limit',
      'fit-node-that-declares-nothing',
    ),
  },
  {
    kubernetes: older,
    featureGate: 'InPlacePodLevelResourcesVerticalScaling',
    reason: 'resources of whole pods cannot be changed before 1.36',
    ...recorded(
      'resize-pod-level',
      'resize-pod-level-within-limits',
      'resize-pod-level-other-resources',
      'resize-pod-level-appears',
      'resize-pod-level-goes',
      'resize-pod-level-loses-limit',
    ),
  },
  {
    kubernetes: ['1.34'],
    featureGate: 'ContainerRestartRules',
    reason: 'the restart policy of an ephemeral container is dropped before 1.35, not refused',
    ...recorded('debug-fields-of-resources'),
  },
  {
    kubernetes: older,
    featureGate: 'ConstrainedImpersonation',
    reason: 'a refused impersonation names the user before 1.36, not the request',
    ...recorded('identity-impersonation-is-a-right'),
  },
  {
    kubernetes: older,
    featureGate: undefined,
    reason: 'the admission plugin PodResize is new in 1.36',
    ...recorded('fit-node-missing', 'fit-node-too-small', 'fit-node-of-another-system'),
  },
  {
    kubernetes: older,
    featureGate: undefined,
    reason: 'the response contains the version',
    ...recorded('discover-version'),
  },
  {
    kubernetes: ['1.34'],
    featureGate: undefined,
    reason:
      'a DeleteOptions of another kind is an internal error before 1.35; messages contain a line number of the source',
    ...recorded('create-wrong-version', 'delete-body-of-other-kind'),
  },
  {
    kubernetes: ['1.34'],
    featureGate: undefined,
    reason: 'error messages about names of labels have another wording',
    ...recorded('create-bad-annotation-and-finalizer', 'pod-extended-two-slashes', 'pod-extended-long-name'),
  },
  {
    kubernetes: older,
    featureGate: undefined,
    reason: 'error messages about resize policies have another wording',
    ...recorded('resize-policy-of-a-new-pod'),
  },
  {
    kubernetes: older,
    featureGate: undefined,
    reason: 'a fraction in place of an integer is reported once, not a second time by the CEL rules',
    ...recorded('custom-fraction-for-an-integer'),
  },
  {
    kubernetes: ['1.34'],
    featureGate: undefined,
    reason: 'error messages of CEL rules name the type of the value',
    ...recorded(
      'rule-fails',
      'rule-with-message',
      'rule-with-message-expression',
      'rule-over-a-list',
      'rule-over-a-map',
      'rule-with-match',
      'rule-about-a-change',
    ),
  },
]
