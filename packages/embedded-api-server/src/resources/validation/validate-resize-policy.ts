import { listAt, own, stringAt } from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'

const RESOURCES = ['cpu', 'memory']
const POLICIES = ['NotRequired', 'RestartContainer']

/**
 * Returns the errors of the `resizePolicy` of a container. `spec` is its pod spec.
 *
 * @see kubernetes pkg/apis/core/validation validateResizePolicy (v1.36)
 */
export function validateResizePolicy(container: unknown, path: string, spec: unknown): readonly StatusCause[] {
  const seen = new Set<string>()
  return listAt(container, 'resizePolicy').flatMap((policy, i) => {
    const resource = stringAt(policy, 'resourceName')
    const restart = stringAt(policy, 'restartPolicy')
    const causes: StatusCause[] = []
    if (seen.has(resource)) causes.push(fieldError.duplicate(`${path}[${i}]`, resource))
    seen.add(resource)
    causes.push(...validateEnum(path, resource, RESOURCES), ...validateEnum(path, restart, POLICIES))
    if (stringAt(spec, 'restartPolicy') === 'Never' && restart !== 'NotRequired') {
      const why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
      causes.push(fieldError.invalid(path, restart, why))
    }
    return causes
  })
}

/** Returns the errors of the resize policies of init containers that are not sidecars. */
export function validateInitResizePolicies(spec: unknown, path: string): readonly StatusCause[] {
  return listAt(spec, 'initContainers').flatMap((container, i) =>
    own(container, 'restartPolicy') === 'Always'
      ? []
      : listAt(container, 'resizePolicy').flatMap((policy, j) => {
          if (own(policy, 'restartPolicy') !== 'RestartContainer') return []
          const field = `${path}.initContainers[${i}].resizePolicy[${j}].restartPolicy`
          const why = "must not be set to 'RestartContainer' for non-sidecar initContainers"
          return [fieldError.invalid(field, 'RestartContainer', why)]
        }),
  )
}

function validateEnum(path: string, value: string, values: readonly string[]): readonly StatusCause[] {
  if (value === '') return [fieldError.required(path)]
  return values.includes(value) ? [] : [fieldError.notSupported(path, value, values)]
}
