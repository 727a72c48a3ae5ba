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
  /** Part of the full text of each spec. */
  readonly focus: string
  /** How many specs run at once. Specs that are marked as serial always run alone. */
  readonly processes: number
  readonly skipped: readonly SkippedSpecs[]
}

/** The parts of upstream's suite that a scheduler decides and that need no cloud. */
export const upstreamSuites: readonly UpstreamSuite[] = [
  {
    name: 'scheduling',
    summary: 'the specs of SIG Scheduling',
    focus: '[sig-scheduling]',
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
    name: 'local-volumes',
    summary: 'the specs of SIG Storage for local volumes, which wait for their first consumer',
    focus: '[sig-storage] PersistentVolumes-local',
    processes: 4,
    skipped: [
      { text: '[Flaky]', reason: 'upstream marks these specs as unreliable' },
      { text: '[Volume type: gce-localssd-scsi-fs]', reason: 'needs the local disks of a cloud' },
      {
        text: '[Volume type: block] Set fsGroup',
        reason: 'the specs skip themselves: a block device has no group',
      },
      {
        text: 'should use volumes spread across nodes',
        reason: 'the specs need three nodes for pods, and the cluster has two',
      },
    ],
  },
]
