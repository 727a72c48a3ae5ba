import type { HorizontalPodAutoscaler } from '../../facts/fact-kinds.ts'
import { placeOf } from '../model/program.ts'
import { serviceState } from '../model/servers.ts'
import { survey } from '../model/survey.ts'

/** Type of an autoscaler's metric -> API group that serves it. */
const METRIC_GROUPS: ReadonlyMap<string, string> = new Map([
  ['Resource', 'metrics.k8s.io'],
  ['ContainerResource', 'metrics.k8s.io'],
  ['Pods', 'custom.metrics.k8s.io'],
  ['Object', 'custom.metrics.k8s.io'],
  ['External', 'external.metrics.k8s.io'],
])

/** The API groups that another server answers. Only the use of metrics by autoscalers is visible. */
export const aggregatedApis = survey({
  kind: 'aggregated-apis',
  title: 'Aggregated APIs',
  needs: ['apiServices', 'endpointSlices', 'horizontalPodAutoscalers'],
  find({ apiServices, endpointSlices, horizontalPodAutoscalers }, context) {
    return apiServices.flatMap(({ metadata, spec, status }) => {
      const service = spec?.service
      if (service === undefined || service === null) return []
      const available = status?.conditions?.find(({ type }) => type === 'Available')
      const users = horizontalPodAutoscalers
        .filter((scaler) => groupsOf(scaler).has(spec?.group ?? ''))
        .map((scaler) => `HorizontalPodAutoscaler ${placeOf(scaler)}`)
      return [
        {
          name: metadata.name ?? '',
          use: users.length > 0 ? ('used' as const) : ('unknown' as const),
          usedBy: users.toSorted(),
          health:
            available === undefined
              ? ('unknown' as const)
              : available.status === 'True'
                ? ('healthy' as const)
                : ('unhealthy' as const),
          evidence: [
            available === undefined
              ? 'It has no condition Available.'
              : `Its condition Available is ${available.status}: ${[available.reason, available.message].filter(Boolean).join(': ')}.`,
            ...serviceState(endpointSlices, service, context).evidence,
          ],
        },
      ]
    })
  },
})

function groupsOf({ spec }: HorizontalPodAutoscaler): ReadonlySet<string> {
  return new Set((spec?.metrics ?? []).flatMap(({ type }) => METRIC_GROUPS.get(type) ?? []))
}
