import type { ResourceRef } from '@berth/k8s-client'

const namespaced = (group: string, version: string, plural: string, kind: string): ResourceRef => ({
  group,
  version,
  plural,
  kind,
  namespaced: true,
})

/** Types that `resourceRefs` lacks. */
export const scalers = namespaced('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler')
export const cronJobs = namespaced('batch', 'v1', 'cronjobs', 'CronJob')
export const secrets = namespaced('', 'v1', 'secrets', 'Secret')
export const endpointSlices = namespaced('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice')
