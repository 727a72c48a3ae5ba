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

const MAY_CHANGE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/**
 * What a change of the main resource of a pod must not touch.
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
  const kept = listAt(before, 'tolerations').every((old) =>
    listAt(spec, 'tolerations').some((now) =>
      equalJson(
        withField(asObject(now), 'tolerationSeconds', undefined),
        withField(asObject(old), 'tolerationSeconds', undefined),
      ),
    ),
  )
  if (!kept)
    causes.push(
      fieldError.forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    )
  if (!equalJson(fixedPart(spec, gates.size > 0), fixedPart(before, gates.size > 0))) {
    causes.push(fieldError.forbidden('spec', MAY_CHANGE))
  }
  return causes
}

function gateNames(spec: JsonObject): ReadonlySet<unknown> {
  return new Set(listAt(spec, 'schedulingGates').map((gate) => own(gate, 'name')))
}

function fixedPart(spec: JsonObject, isGated: boolean): JsonObject {
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
  // A gated pod may still be narrowed to fewer nodes.
  return withValueAt(withField(fixed, 'nodeSelector', undefined), ['affinity', 'nodeAffinity'], undefined)
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
