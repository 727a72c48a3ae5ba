import { listAt, numberAt, objectAt, own, stringAt } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import type { Strategy } from '../kinds/strategy.ts'

/** The metric of an autoscaler that names none: 80 % of the requested CPU. */
const CPU_METRIC = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}

/**
 * Write rules of HorizontalPodAutoscalers. The embedded cluster stores them, but has no metrics and scales nothing.
 *
 * @see kubernetes pkg/apis/autoscaling/v2/defaults.go SetDefaults_HorizontalPodAutoscaler,
 *   pkg/apis/autoscaling/validation validateHorizontalPodAutoscalerSpec (v1.36)
 */
export const autoscalerStrategy: Strategy = {
  defaults(autoscaler) {
    const spec = objectAt(autoscaler, 'spec')
    const hasMetrics = listAt(spec, 'metrics').length > 0
    return { ...autoscaler, spec: { minReplicas: 1, ...spec, ...(!hasMetrics && { metrics: [CPU_METRIC] }) } }
  },
  validate(autoscaler) {
    const spec = objectAt(autoscaler, 'spec')
    const min = numberAt(spec, 'minReplicas') ?? 1
    const max = numberAt(spec, 'maxReplicas') ?? 0
    const target = own(spec, 'scaleTargetRef')
    const causes: StatusCause[] = []
    if (min < 1) {
      causes.push(fieldError.invalid('spec.minReplicas', min, 'must be greater than or equal to 1'))
    }
    if (max < 1) causes.push(fieldError.invalid('spec.maxReplicas', max, 'must be greater than 0'))
    if (max < min) {
      causes.push(fieldError.invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'))
    }
    for (const field of ['kind', 'name'])
      if (stringAt(target, field) === '') causes.push(fieldError.required(`spec.scaleTargetRef.${field}`))
    return causes
  },
}
