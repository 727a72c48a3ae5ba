import { withMetadata } from '../../schema/json/api-object.ts'
import { updateStatusAndMetadata } from '../kinds/status-update.ts'
import type { Strategy } from '../kinds/strategy.ts'
import { workloadStrategy } from './workload-strategy.ts'

/** Write rules of Deployments: by default they replace a quarter of their pods at a time. */
export const deploymentStrategy: Strategy = {
  ...workloadStrategy({
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  }),
  // Upstream resets the labels and no other metadata.
  prepareStatusUpdate: (next, old) => withMetadata(updateStatusAndMetadata(next, old), { labels: old.metadata.labels }),
}

/** Write rules of ReplicaSets: by default they run one pod. */
export const replicaSetStrategy: Strategy = workloadStrategy({ replicas: 1 })

/** Write rules of DaemonSets: by default they replace one pod at a time. */
export const daemonSetStrategy: Strategy = workloadStrategy({
  revisionHistoryLimit: 10,
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
})

/** Write rules of StatefulSets: by default they start and replace their pods in order. */
export const statefulSetStrategy: Strategy = workloadStrategy({
  replicas: 1,
  podManagementPolicy: 'OrderedReady',
  revisionHistoryLimit: 10,
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
})
