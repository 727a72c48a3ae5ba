/** Specs of upstream's suite that are left out for one reason. */
export interface SkippedSpecs {
  /** Part of the full text of each spec. */
  readonly text: string
  readonly reason: string
}

/** A part of upstream's end-to-end suite. */
export interface UpstreamSuite {
  readonly name: string
  readonly summary: string
  /** Parts of full texts: a spec with one of them runs. */
  readonly focus: readonly string[]
  /** How many specs run at once. Specs that are marked as serial always run alone. */
  readonly processes: number
  readonly skipped: readonly SkippedSpecs[]
  /** Whether some specs need a third node for pods. The node of the control plane then accepts pods during the suite. */
  readonly usesControlPlane?: boolean
}

/** The parts of upstream's suite that a scheduler decides and that need no cloud. */
export const upstreamSuites: readonly UpstreamSuite[] = [
  {
    name: 'scheduling',
    summary: 'the specs of SIG Scheduling',
    focus: ['[sig-scheduling]'],
    processes: 1,
    skipped: [
      {
        text: '[Feature:OffByDefault]',
        reason:
          'the API of workloads and pod groups is behind the feature gate GenericWorkload, which is off by default',
      },
      { text: '[sig-scheduling] Multi-AZ Clusters', reason: 'the nodes of the cluster are not in several zones' },
    ],
  },
  {
    // The other specs for local volumes bind them at once and test how the kubelet mounts them. All 57 took 21 minutes with
    // kube-scheduler alone. The specs of CSI drivers that wait for the first consumer need the images of the drivers.
    name: 'local-volumes',
    summary: 'the specs of SIG Storage for local volumes that wait for their first consumer or do not fit a node',
    focus: [
      '[sig-storage] PersistentVolumes-local StatefulSet with pod affinity',
      '[sig-storage] PersistentVolumes-local Stress with local volumes',
      "[sig-storage] PersistentVolumes-local Pod with node different from PV's NodeAffinity",
    ],
    processes: 4,
    skipped: [],
    usesControlPlane: true,
  },
]
