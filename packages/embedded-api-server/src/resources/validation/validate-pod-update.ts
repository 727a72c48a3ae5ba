import type { ApiObject } from '../../schema/json/api-object.ts'
import {
  equalJson,
  isObject,
  listAt,
  numberAt,
  objectAt,
  own,
  withField,
  withValueAt,
  type JsonObject,
} from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'

const MUTABLE_FIELDS_MESSAGE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/**
 * Returns an error for each immutable part of a pod that an update of the main resource changes.
 *
 * @see kubernetes pkg/apis/core/validation ValidatePodUpdate (v1.36)
 */
export function validatePodUpdate(pod: ApiObject, old: ApiObject): readonly StatusCause[] {
  const spec = objectAt(pod, 'spec')
  const before = objectAt(old, 'spec')
  if (equalJson(spec, before)) return []
  if (listAt(spec, 'containers').length !== listAt(before, 'containers').length) {
    return [fieldError.forbidden('spec.containers', 'pod updates may not add or remove containers')]
  }
  const causes: StatusCause[] = []
  const gates = gateNames(before)
  for (const [i, gate] of listAt(spec, 'schedulingGates').entries()) {
    const name = own(gate, 'name')
    if (gates.has(name)) continue
    const why = `only deletion is allowed, but found new scheduling gate '${String(name)}'`
    causes.push(fieldError.forbidden(`spec.schedulingGates[${i}].name`, why))
  }
  const keepsTolerations = listAt(before, 'tolerations').every((oldToleration) =>
    listAt(spec, 'tolerations').some((toleration) =>
      equalJson(
        withField(asObject(toleration), 'tolerationSeconds', undefined),
        withField(asObject(oldToleration), 'tolerationSeconds', undefined),
      ),
    ),
  )
  if (!keepsTolerations)
    causes.push(
      fieldError.forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    )
  if (!equalJson(immutablePart(spec, gates.size > 0), immutablePart(before, gates.size > 0))) {
    causes.push(fieldError.forbidden('spec', MUTABLE_FIELDS_MESSAGE))
  }
  return causes
}

function gateNames(spec: JsonObject): ReadonlySet<unknown> {
  return new Set(listAt(spec, 'schedulingGates').map((gate) => own(gate, 'name')))
}

function immutablePart(spec: JsonObject, isGated: boolean): JsonObject {
  let fixed = spec
  for (const key of ['containers', 'initContainers']) {
    if (own(spec, key) === undefined) continue
    fixed = withField(
      fixed,
      key,
      listAt(spec, key).map((container) => withField(asObject(container), 'image', undefined)),
    )
  }
  for (const key of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'])
    fixed = withField(fixed, key, undefined)
  if ((numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) <= 1)
    fixed = withField(fixed, 'terminationGracePeriodSeconds', undefined)
  if (!isGated) return fixed
  // The node selection of a gated pod may change. Upstream allows only narrower selections; that is not checked here.
  return withValueAt(withField(fixed, 'nodeSelector', undefined), ['affinity', 'nodeAffinity'], undefined)
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
