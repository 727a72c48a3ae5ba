import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import { cronJobs } from '../facts/resource-refs.ts'

/** Workloads that are shown by default. ReplicaSets and Jobs are shown under the objects that own them. */
export const defaultKinds: readonly ResourceRef[] = [
  resourceRefs.deployments,
  resourceRefs.statefulSets,
  resourceRefs.daemonSets,
  cronJobs,
  resourceRefs.jobs,
]
